import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { Link, useParams } from "react-router";
import { targetRuns } from "../api/run-queries";
import * as sourceQueries from "../api/source-queries";
import type { Source, SourceDetail } from "../api/types";
import { DecisionList } from "../components/decision-list";
import { DiagnosticsList } from "../components/diagnostics-list";
import { FixReview } from "../components/fix-review";
import { RecipeEditor } from "../components/recipe-editor";
import { RecipeHistory } from "../components/recipe-history";
import { RunsTable } from "../components/runs-table";
import { SnapshotComparison } from "../components/snapshot-comparison";
import { SourceActions } from "../components/source-actions";
import { SourceFixList } from "../components/source-fix-list";
import { SourceSettings } from "../components/source-settings";
import { SourceTrouble } from "../components/source-trouble";
import { StateBadge } from "../components/state-badge";
import { TimelineList } from "../components/timeline-list";
import { SOURCE_LOOKS } from "../components/tones";
import { ValueHistory } from "../components/value-history";
import { Badge } from "../ui/badge";
import { Facts } from "../ui/facts";
import { formatInterval } from "../ui/format";
import { JsonText } from "../ui/json-view";
import { Loaded } from "../ui/loaded";
import { Message } from "../ui/message";
import { Page } from "../ui/page";
import { Panel } from "../ui/panel";
import { SafeLink } from "../ui/safe-link";
import { RunStrip } from "../ui/sparkline";
import { Tabs } from "../ui/tabs";
import { Time } from "../ui/time";

function Health({ source }: { source: Source }) {
  const runs = source.successCount + source.failureCount;
  return (
    <Panel title="Health" aside={<RunStrip runs={source.recentRuns} />}>
      <Facts
        facts={[
          ["Last success", <Time key="success" at={source.lastSuccessAt} />],
          ["Last failure", <Time key="failure" at={source.lastFailureAt} />],
          ["Successful runs", runs > 0 ? `${source.successCount} of ${runs}` : "none yet"],
          ["Fix attempts today", source.fixAttemptsToday],
          ...(source.breakerReason ? [["No attempts because", source.breakerReason] as const] : []),
          ["Read", source.schedule ?? formatInterval(source.intervalSeconds)],
          ["Fixes are activated", source.healPolicy === "auto" ? "when they pass" : "when approved"],
          ["Recipe", source.recipeVersion ? `version ${source.recipeVersion}` : "none yet"],
          ["Added", <Time key="added" at={source.createdAt} />],
        ]}
      />
    </Panel>
  );
}

const FEW_VALUES = 25;
/** The most that the server returns. */
const MOST_VALUES = 200;

/** Each part reads what it shows when it is opened. */
function Recipes({ name }: { name: string }) {
  const query = useQuery(sourceQueries.sourceRecipes(name));
  const decisions = useQuery(sourceQueries.sourceDecisions(name));
  return (
    <Loaded query={query}>
      {({ recipes }) => (
        <>
          <RecipeHistory name={name} recipes={recipes} />
          <DecisionList name={name} decisions={decisions.data?.decisions ?? []} recipes={recipes} />
        </>
      )}
    </Loaded>
  );
}
function Snapshots({ name }: { name: string }) {
  const query = useQuery(sourceQueries.sourceSnapshots(name));
  const recipes = useQuery(sourceQueries.sourceRecipes(name));
  return (
    <Loaded query={recipes}>
      {({ recipes }) => (
        <Loaded query={query}>
          {({ snapshots }) => <SnapshotComparison name={name} snapshots={snapshots} recipes={recipes} />}
        </Loaded>
      )}
    </Loaded>
  );
}
function Values({ name }: { name: string }) {
  const [limit, setLimit] = useState(FEW_VALUES);
  const query = useQuery(sourceQueries.sourceValues(name, limit));
  return (
    <Loaded query={query}>
      {({ values }) => (
        <ValueHistory
          name={name}
          values={values}
          onMore={limit < MOST_VALUES && values.length >= limit ? () => setLimit(MOST_VALUES) : undefined}
        />
      )}
    </Loaded>
  );
}
function Fixes({ name }: { name: string }) {
  const query = useQuery(sourceQueries.sourceFixes(name));
  const recipes = useQuery(sourceQueries.sourceRecipes(name));
  const runs = useQuery(targetRuns(name));
  return (
    <Loaded query={query}>
      {({ fixes }) => (
        <SourceFixList fixes={fixes} recipes={recipes.data?.recipes ?? []} runs={runs.data?.runs ?? []} />
      )}
    </Loaded>
  );
}
function Diagnostics({ name }: { name: string }) {
  const query = useQuery(sourceQueries.sourceDiagnostics(name));
  return <Loaded query={query}>{({ diagnostics }) => <DiagnosticsList diagnostics={diagnostics} />}</Loaded>;
}
function Timeline({ name }: { name: string }) {
  const query = useQuery(sourceQueries.sourceTimeline(name));
  return <Loaded query={query}>{({ events }) => <TimelineList events={events} />}</Loaded>;
}
function Runs({ name }: { name: string }) {
  const query = useQuery(targetRuns(name));
  return (
    <Loaded query={query} lines={8}>
      {({ runs, next }) =>
        runs.length === 0 ? (
          <Message title="No runs yet">Each read and each fix of this source is a run.</Message>
        ) : (
          <>
            <RunsTable runs={runs} caption="Runs of the source" isOfOneTarget />
            {next && (
              <p className="border-t border-line p-3 text-center">
                <Link
                  to={`/runs?search=${encodeURIComponent(name)}`}
                  className="text-accent underline underline-offset-2"
                >
                  All runs of this source
                </Link>
              </p>
            )}
          </>
        )
      }
    </Loaded>
  );
}

function Recipe({ recipe, definition }: SourceDetail) {
  return (
    <div className="grid grid-cols-1 gap-4 p-4 xl:grid-cols-2">
      <div className="min-w-0">
        <h3 className="mb-2 font-semibold">Active recipe</h3>
        {recipe ? (
          <JsonText label="Recipe" value={recipe} />
        ) : (
          <Message title="No recipe yet">The page is looked at first.</Message>
        )}
      </div>
      <div className="min-w-0">
        <h3 className="mb-2 font-semibold">What the source should yield</h3>
        <JsonText label="Blueprint" value={definition} />
      </div>
    </div>
  );
}

/** One source: how it is, what it gives, how its recipe came to be, and what can be done. */
export function SourcePage() {
  const { name = "" } = useParams();
  const query = useQuery(sourceQueries.source(name));
  const source = query.data?.source;
  return (
    <Page
      title={name}
      back={{ to: "/sources", label: "Sources" }}
      lead={
        source ? (
          <>
            <StateBadge looks={SOURCE_LOOKS} value={source.state} />
            {source.waitsForApproval && (
              <Badge tone="warn" icon="clock">
                A fix waits for approval
              </Badge>
            )}
            <SafeLink to={source.url} />
          </>
        ) : (
          "\u00a0"
        )
      }
      actions={source && <SourceActions source={source} />}
    >
      <Loaded query={query} lines={12}>
        {(detail) => (
          <>
            {detail.source.state !== "ACTIVE" && <SourceTrouble source={detail.source} />}
            <Health source={detail.source} />
            <Tabs
              label="Parts of the source"
              tabs={[
                ...(detail.source.waitsForApproval
                  ? [{ key: "review", label: "Review", content: () => <FixReview source={detail.source} /> }]
                  : []),
                { key: "values", label: "Values", content: () => <Values name={name} /> },
                { key: "runs", label: "Runs", content: () => <Runs name={name} /> },
                { key: "timeline", label: "Timeline", content: () => <Timeline name={name} /> },
                { key: "diagnostics", label: "Diagnostics", content: () => <Diagnostics name={name} /> },
                { key: "snapshots", label: "Snapshots", content: () => <Snapshots name={name} /> },
                { key: "recipe", label: "Recipe", content: () => <Recipe {...detail} /> },
                { key: "edit", label: "Edit", content: () => <RecipeEditor name={name} /> },
                { key: "history", label: "History", content: () => <Recipes name={name} /> },
                { key: "fixes", label: "Fixes", content: () => <Fixes name={name} /> },
                { key: "settings", label: "Settings", content: () => <SourceSettings source={detail.source} /> },
              ]}
            />
          </>
        )}
      </Loaded>
    </Page>
  );
}
