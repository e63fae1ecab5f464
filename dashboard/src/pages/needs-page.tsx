import { useQuery } from "@tanstack/react-query";
import { needs } from "../api/queries";
import { NeedList } from "../components/need-list";
import { Loaded } from "../ui/loaded";
import { Message } from "../ui/message";
import { Page } from "../ui/page";
import { Panel } from "../ui/panel";

/** What needs a person: reviews, quarantines, failed tasks, fixes to merge. An entry is gone as soon as its cause is. */
export function NeedsPage() {
  const query = useQuery(needs());
  return (
    <Page title="Needs you">
      <Panel title="To decide" flush>
        <Loaded query={query} lines={6}>
          {({ needs }) =>
            needs.length > 0 ? (
              <NeedList needs={needs} />
            ) : (
              <Message icon="check" title="Nothing needs you">
                Fixes to review or merge, quarantined sources and failed tasks appear here.
              </Message>
            )
          }
        </Loaded>
      </Panel>
    </Page>
  );
}
