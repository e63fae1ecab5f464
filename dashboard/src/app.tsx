import { QueryClientProvider, type QueryClient } from "@tanstack/react-query";
import type { ComponentType } from "react";
import { Route, Routes } from "react-router";
import { ErrorBoundary } from "./components/error-boundary";
import { Shell } from "./components/shell";
import { HomePage } from "./pages/home-page";
import { NotFoundPage } from "./pages/not-found-page";
import { lazyPart } from "./ui/lazy-part";

/** A page that is loaded when it is opened. */
function page<Name extends string>(load: () => Promise<Record<Name, ComponentType>>, name: Name) {
  return lazyPart(async () => (await load())[name]);
}

const JobPage = page(() => import("./pages/job-page"), "JobPage");
const RunsPage = page(() => import("./pages/runs-page"), "RunsPage");
const RunPage = page(() => import("./pages/run-page"), "RunPage");
const SourcesPage = page(() => import("./pages/sources-page"), "SourcesPage");
const AddSourcePage = page(() => import("./pages/add-source-page"), "AddSourcePage");
const SourcePage = page(() => import("./pages/source-page"), "SourcePage");
const QueuePage = page(() => import("./pages/queue-page"), "QueuePage");
const TaskPage = page(() => import("./pages/task-page"), "TaskPage");
const NeedsPage = page(() => import("./pages/needs-page"), "NeedsPage");
const AlertsPage = page(() => import("./pages/alerts-page"), "AlertsPage");
const UsagePage = page(() => import("./pages/usage-page"), "UsagePage");
const ReferencePage = page(() => import("./pages/reference-page"), "ReferencePage");

/** The whole application, inside a router. */
export function App({ client }: { client: QueryClient }) {
  return (
    <ErrorBoundary>
      <QueryClientProvider client={client}>
        <Routes>
          <Route element={<Shell />}>
            <Route index element={<HomePage />} />
            <Route path="jobs/:jobId" element={<JobPage />} />
            <Route path="runs" element={<RunsPage />} />
            <Route path="runs/:runId" element={<RunPage />} />
            <Route path="sources" element={<SourcesPage />} />
            <Route path="new-source" element={<AddSourcePage />} />
            <Route path="sources/:name" element={<SourcePage />} />
            <Route path="queue" element={<QueuePage />} />
            <Route path="queue/:taskId" element={<TaskPage />} />
            <Route path="needs" element={<NeedsPage />} />
            <Route path="alerts" element={<AlertsPage />} />
            <Route path="usage" element={<UsagePage />} />
            <Route path="reference" element={<ReferencePage />} />
            <Route path="*" element={<NotFoundPage />} />
          </Route>
        </Routes>
      </QueryClientProvider>
    </ErrorBoundary>
  );
}
