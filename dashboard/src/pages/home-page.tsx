import { useQuery } from "@tanstack/react-query";
import { Suspense, useEffect } from "react";
import { Link, useLocation, useNavigate } from "react-router";
import { submitHealing, useHealing } from "../api/healing";
import { latestRuns, needs, overview } from "../api/queries";
import { InputForm } from "../components/input-form";
import { NeedList } from "../components/need-list";
import { OverviewFigures } from "../components/overview-figures";
import { RunsTable } from "../components/runs-table";
import { useHealingStore } from "../store/healing";
import { lazyPart } from "../ui/lazy-part";
import { Loaded } from "../ui/loaded";
import { Failure, Message } from "../ui/message";
import { Page } from "../ui/page";
import { Panel } from "../ui/panel";
import { Skeleton } from "../ui/skeleton";
import { WhenVisible } from "../ui/when-visible";

const Trends = lazyPart(async () => (await import("../components/trends-panel")).TrendsPanel);

/** The state of the last job, with a link to it. */
function CurrentJob() {
  const { jobId, isLoading, results } = useHealing();
  if (!jobId) return null;
  return (
    <p role="status" className="mt-4 border-t border-line pt-3 text-muted">
      {isLoading
        ? "A repository is being healed. "
        : results
          ? "The last healing is finished. "
          : "The last healing has no results. "}
      <Link to={`/jobs/${jobId}`} className="font-medium text-accent underline underline-offset-2">
        {isLoading ? "Watch it" : "See its results"}
      </Link>
    </p>
  );
}

const MOST_NEEDS = 5;

/** What needs a person; the panel is there only when there is anything. */
function Needs() {
  const { data } = useQuery(needs());
  if (!data || data.needs.length === 0) return null;
  return (
    <Panel
      title="Needs you"
      flush
      aside={
        <Link to="/needs" className="font-medium text-accent hover:underline">
          All {data.needs.length}
        </Link>
      }
    >
      <NeedList needs={data.needs.slice(0, MOST_NEEDS)} />
    </Panel>
  );
}

export function HomePage() {
  const navigate = useNavigate();
  const { hash, key } = useLocation();
  const { isPending } = useQuery(needs());
  // What needs a person stands above the form, and moves it when it comes.
  useEffect(() => {
    if (hash === "#heal" && !isPending) document.getElementsByName("repositoryUrl")[0]?.focus();
  }, [hash, key, isPending]);
  const { isSubmitting, submitError } = useHealingStore();
  const latest = useQuery(latestRuns());
  const { data } = useQuery(overview());
  return (
    <Page title="Overview">
      <OverviewFigures />
      <Needs />
      <div className="grid gap-5 xl:grid-cols-[minmax(22rem,2fr)_minmax(0,3fr)]">
        <Panel title="Heal a repository">
          <InputForm
            isLoading={isSubmitting}
            acceptsFolders={data?.localRepositories ?? false}
            onSubmit={async (request) => {
              const jobId = await submitHealing(request);
              if (jobId) await navigate(`/jobs/${jobId}`);
            }}
          />
          {submitError !== undefined && <Failure error={submitError} />}
          <CurrentJob />
        </Panel>
        <Panel
          title="Latest runs"
          flush
          aside={
            <Link to="/runs" className="font-medium text-accent hover:underline">
              All runs
            </Link>
          }
        >
          <Loaded query={latest} lines={6}>
            {({ runs }) =>
              runs.length > 0 ? (
                <RunsTable runs={runs} caption="Latest runs" isBrief />
              ) : (
                <Message title="Nothing has run yet">
                  Enter a repository whose tests fail, or{" "}
                  <Link to="/new-source" className="text-accent underline">
                    add a source
                  </Link>{" "}
                  to be read on a schedule.
                </Message>
              )
            }
          </Loaded>
        </Panel>
      </div>
      <WhenVisible>
        <Suspense fallback={<Skeleton lines={6} />}>
          <Trends />
        </Suspense>
      </WhenVisible>
    </Page>
  );
}
