import Markdown from "react-markdown";
import remarkGfm from "remark-gfm";
import { Message } from "../ui/message";
import { SafeLink } from "../ui/safe-link";

/** The report of a run. HTML in it is shown as text, images are left out: they would be fetched from anywhere. */
export default function ReportView({ report }: { report: string | undefined }) {
  if (!report) return <Message title="No report yet">It is written when the run ends.</Message>;
  return (
    <article className="max-w-prose space-y-3 overflow-x-auto p-4 break-words [&_code]:font-mono [&_code]:text-xs [&_h2]:pt-2 [&_h2]:text-base [&_h2]:font-semibold [&_h3]:font-semibold [&_h4]:font-semibold [&_ol]:list-decimal [&_ol]:ps-5 [&_pre]:overflow-auto [&_pre]:rounded [&_pre]:bg-sunken [&_pre]:p-3 [&_td]:border [&_td]:border-line [&_td]:px-2 [&_td]:py-1 [&_th]:border [&_th]:border-line [&_th]:px-2 [&_th]:py-1 [&_th]:text-start [&_ul]:list-disc [&_ul]:ps-5">
      <Markdown
        remarkPlugins={[remarkGfm]}
        disallowedElements={["img"]}
        components={{
          // The page has its one title already.
          h1: ({ children }) => <h2>{children}</h2>,
          h2: ({ children }) => <h3>{children}</h3>,
          h3: ({ children }) => <h4>{children}</h4>,
          a: ({ href, children }) => <SafeLink to={href ?? ""}>{children}</SafeLink>,
        }}
      >
        {report}
      </Markdown>
    </article>
  );
}
