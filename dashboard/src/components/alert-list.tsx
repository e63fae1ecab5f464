import { Link } from "react-router";
import type { Alert } from "../api/types";
import { Time } from "../ui/time";
import { StateBadge } from "./state-badge";
import { placeOf } from "./target-place";
import { targetLabel } from "./target-label";
import { ALERT_LOOKS } from "./tones";

/** Who was told beyond this page. */
function told({ postedAt, mailedAt }: Alert): string | undefined {
  const ways = [postedAt && "webhook", mailedAt && "mail"].filter(Boolean);
  return ways.length > 0 ? `told by ${ways.join(" and ")}` : undefined;
}

function AlertRow({ alert }: { alert: Alert }) {
  return (
    <li className="flex flex-wrap items-start gap-x-4 gap-y-1 px-4 py-3">
      <span className="w-36 shrink-0">
        <StateBadge looks={ALERT_LOOKS} value={alert.kind} />
      </span>
      <div className="min-w-0 flex-1 basis-64">
        <Link to={placeOf(alert.target)} className="font-medium break-all hover:underline">
          {targetLabel(alert.target)}
        </Link>
        <p className="break-words text-muted">{alert.message}</p>
      </div>
      <span className="text-xs text-muted sm:text-end">
        <Time at={alert.createdAt} />
        {told(alert) && <span className="block">{told(alert)}</span>}
      </span>
    </li>
  );
}

/** Alerts, as they are given: newest first. */
export function AlertList({ alerts }: { alerts: readonly Alert[] }) {
  return (
    <ul aria-label="Alerts" className="divide-y divide-line">
      {alerts.map((alert) => (
        <AlertRow key={alert.alertId} alert={alert} />
      ))}
    </ul>
  );
}
