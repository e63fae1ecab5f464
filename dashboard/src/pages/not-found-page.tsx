import { ButtonLink } from "../ui/button";
import { Message } from "../ui/message";
import { Page } from "../ui/page";

export function NotFoundPage() {
  return (
    <Page title="Page not found">
      <Message title="There is no page at this address" action={<ButtonLink to="/">Go to the overview</ButtonLink>}>
        It may have been mistyped. Runs, sources and tasks are found by their lists.
      </Message>
    </Page>
  );
}
