import { useQuery } from "@tanstack/react-query";
import { apiBase } from "../api/client";
import { openApi } from "../api/openapi-query";
import { groupsOf, type Operation } from "../components/openapi-document";
import type { Tone } from "../ui/badge";
import { TONES } from "../ui/badge";
import { words } from "../ui/format";
import { JsonText } from "../ui/json-view";
import { Loaded } from "../ui/loaded";
import { Message } from "../ui/message";
import { Page } from "../ui/page";
import { Panel } from "../ui/panel";

const METHOD_TONES: Record<string, Tone> = { GET: "info", POST: "good", PATCH: "warn", PUT: "warn", DELETE: "bad" };

function Parameters({ parameters }: Operation) {
  if (parameters.length === 0) return null;
  return (
    <div>
      <h4 className="mb-1 text-xs font-semibold text-muted">Parameters</h4>
      <dl className="grid gap-x-4 gap-y-1 sm:grid-cols-[minmax(8rem,auto)_minmax(0,1fr)]">
        {parameters.map(({ name, place, required, type, description }) => (
          <div key={`${place} ${name}`} className="contents">
            <dt className="font-mono text-xs break-all">
              {name}
              {required && <span className="text-bad"> required</span>}
            </dt>
            <dd className="mb-1 text-xs text-muted">
              {type}, in {place}. {description}
            </dd>
          </div>
        ))}
      </dl>
    </div>
  );
}

function OperationDetails({ operation }: { operation: Operation }) {
  const { method, path, summary, description, body, responses } = operation;
  return (
    <li>
      <details className="group">
        <summary className="flex min-h-11 flex-wrap items-center gap-x-3 gap-y-1 px-4 py-2 hover:bg-sunken/50">
          <span
            className={`w-16 rounded px-1.5 py-0.5 text-center font-mono text-xs font-semibold ${TONES[METHOD_TONES[method] ?? "neutral"]}`}
          >
            {method}
          </span>
          <code className="font-mono text-xs break-all">{path}</code>
          <span className="text-muted">{summary}</span>
        </summary>
        <div className="flex flex-col gap-4 border-t border-line/60 bg-canvas/50 px-4 py-3">
          {description && <p className="max-w-prose break-words whitespace-pre-line">{description}</p>}
          <Parameters {...operation} />
          {body !== undefined && (
            <div>
              <h4 className="mb-1 text-xs font-semibold text-muted">Body</h4>
              <JsonText label={`Body of ${method} ${path}`} value={body} />
            </div>
          )}
          <div>
            <h4 className="mb-1 text-xs font-semibold text-muted">Responses</h4>
            <ul className="flex flex-col gap-1">
              {responses.map(({ status, description }) => (
                <li key={status} className="flex gap-3 text-xs">
                  <code className="font-mono">{status}</code>
                  <span className="min-w-0 break-words text-muted">{description}</span>
                </li>
              ))}
            </ul>
          </div>
        </div>
      </details>
    </li>
  );
}

/** The API, drawn from the description that the server itself serves. */
export function ReferencePage() {
  const query = useQuery(openApi());
  return (
    <Page
      title="API reference"
      lead={
        <a href={`${apiBase}/api/openapi.json`} className="text-accent underline underline-offset-2">
          openapi.json
        </a>
      }
    >
      <Loaded query={query} lines={12}>
        {(document) => {
          const groups = groupsOf(document);
          if (groups.length === 0)
            return <Message title="The server describes no operations">Is it the server of autoheal?</Message>;
          return groups.map(({ tag, operations }) => (
            <Panel key={tag} title={words(tag)} flush>
              <ul className="divide-y divide-line">
                {operations.map((operation) => (
                  <OperationDetails key={operation.key} operation={operation} />
                ))}
              </ul>
            </Panel>
          ));
        }}
      </Loaded>
    </Page>
  );
}
