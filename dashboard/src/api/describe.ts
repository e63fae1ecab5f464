/** What a person is told when something went wrong: what happened, what to do, and whether trying again may help. */

import { ApiError, NetworkError, TimeoutError } from "./errors";
import type { ErrorCode } from "./types";

export interface Description {
  title: string;
  message: string;
  canRetry: boolean;
}

type Texts = readonly [title: string, message: string, canRetry: boolean];

const TEXTS: Record<ErrorCode, Texts> = {
  REPO_CLONE_FAILED: [
    "The repository could not be cloned",
    "Check its address and that it can be reached, then try again.",
    true,
  ],
  REPO_NOT_FOUND: ["There is no such repository", "Check the spelling of the owner and of the repository.", false],
  REPO_ACCESS_DENIED: ["No access to the repository", "It is private, or the token may not read and write it.", false],
  TEST_DISCOVERY_FAILED: ["No tests were found", "A repository is healed by its own tests. Add one that fails.", false],
  TEST_EXECUTION_FAILED: [
    "The tests could not be run",
    "See the outputs of the run for what they need and lack.",
    true,
  ],
  DOCKER_BUILD_FAILED: [
    "The sandbox could not be built",
    "See the outputs of the run. A dependency may be missing.",
    true,
  ],
  DOCKER_RUN_FAILED: ["The sandbox could not be started", "Check that Docker or bubblewrap works on the server.", true],
  LLM_API_ERROR: [
    "The language model did not answer",
    "What rules and search could do was done. Try again later for the rest.",
    true,
  ],
  LLM_TIMEOUT: [
    "The language model took too long",
    "What rules and search could do was done. Try again later for the rest.",
    true,
  ],
  PATCH_APPLY_FAILED: [
    "A change could not be made",
    "The file is not what it was when the change was planned. Try again.",
    true,
  ],
  SYNTAX_VALIDATION_FAILED: ["A change was not valid code", "It was taken back. Nothing of it was committed.", true],
  GIT_PUSH_FAILED: ["The branch could not be pushed", "Check that the token may write to the repository.", true],
  CI_TIMEOUT: ["CI did not finish in time", "The branch is pushed. See its checks where it is hosted.", true],
  RETRY_LIMIT_REACHED: [
    "All rounds are used up",
    "What was healed is kept on the branch. Run again to go on from there.",
    true,
  ],
  INVALID_INPUT: ["Something is not filled in as it must be", "Check the fields and send it again.", false],
  STORE_UNAVAILABLE: ["The database could not be used", "Check that it runs and can be reached, then try again.", true],
  DISK_FAILED: ["A file could not be read or written", "Check the disk of the server: it may be full.", true],
  STEP_FAILED: ["A step of the run failed", "It is not your doing. Try again; the log of the server says more.", true],
  JOB_NOT_FOUND: ["There is no such job", "It may have been removed, or the address is incomplete.", false],
  RUN_NOT_FOUND: ["There is no such run", "It may have been removed, or the address is incomplete.", false],
  TASK_NOT_FOUND: ["There is no such task", "It may have been removed, or the address is incomplete.", false],
  SOURCE_NOT_FOUND: ["There is no such source", "It may have been removed, or its name is spelled differently.", false],
  NOT_FOUND: ["There is nothing here", "It may have been removed, or the address is incomplete.", false],
  UNAUTHORIZED: [
    "The server wants a token",
    "Enter the token that the server was started with, or open the address that `autoheal serve` printed.",
    true,
  ],
  RATE_LIMITED: ["That was too fast", "The server limits how often it is asked. Wait a moment, then try again.", true],
  CONFLICT: ["That does not fit what is there", "Somebody or something was faster. Look again, then decide.", false],
  TOOL_FAILED: ["The tool did not come to a result", "See the log of the server for what it ran into.", true],
  STOPPED: ["The server is stopping", "Try again when it is up again.", true],
  INTERNAL: ["The server had a problem", "It is not your doing. Try again; its log says more.", true],
};

const OTHER: Texts = ["Something went wrong", "Try again. If it stays so, the browser's console says more.", true];

/** Codes whose message is about what the person entered, so that it says more than we could. */
const SPEAKS_FOR_ITSELF = new Set(["INVALID_INPUT", "CONFLICT"]);

/** One short line in words: no code, no trace. */
function isForPeople(message: string): boolean {
  return message.length > 0 && message.length <= 200 && !/[\n\r]|[A-Z]{2,}_[A-Z_]+|\bat .+:\d+/.test(message);
}

/** A message of the server as a sentence. */
export function sentence(message: string): string {
  const text = message.trim();
  return text.charAt(0).toUpperCase() + text.slice(1) + (/[.!?]$/.test(text) ? "" : ".");
}

function isKnown(code: string): code is ErrorCode {
  return Object.hasOwn(TEXTS, code);
}

function textsOf(code: string): Texts {
  // A newer server may have codes that this page does not know.
  return isKnown(code) ? TEXTS[code] : OTHER;
}

/** What to tell about an error of any kind. */
export function describeError(error: unknown): Description {
  if (error instanceof NetworkError) {
    return {
      title: "The server cannot be reached",
      message: "Check the network and that the server runs. It is tried again by itself.",
      canRetry: true,
    };
  }
  if (error instanceof TimeoutError) {
    return {
      title: "The server did not answer in time",
      message: "It may be busy. Try again in a moment.",
      canRetry: true,
    };
  }
  if (!(error instanceof ApiError)) {
    const [title, message, canRetry] = OTHER;
    return { title, message, canRetry };
  }
  const [title, message, canRetry] = textsOf(error.code);
  const wait = error.retryAfter === undefined ? "" : ` It asks for ${Math.ceil(error.retryAfter)} s.`;
  const own = SPEAKS_FOR_ITSELF.has(error.code) && isForPeople(error.message);
  return { title, message: own ? sentence(error.message) : message + wait, canRetry };
}

/** Whether asking the same once more may have another answer. */
export function mayPass(error: unknown): boolean {
  if (error instanceof ApiError) return error.status >= 500 || error.status === 429;
  return error instanceof NetworkError || error instanceof TimeoutError;
}
