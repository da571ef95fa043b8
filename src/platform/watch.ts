/** A request as a developer sees it go by. */
export type SeenRequest = {
  method: string;
  /** Without its query; a segment that could be a secret is replaced by its name. */
  path: string;
  status: number;
  ms: number;
  /** Code of the error. */
  code: string | null;
  request_id: string;
  user_agent: string | undefined;
};

/** An attempt to deliver an event to a webhook subscription. */
export type SeenAttempt = {
  event: string;
  delivery_id: string;
  /** Status of the receiver's response, or null with the reason why there is none. */
  http_status: number | null;
  error: string | null;
  ms: number;
};

/** Shows somebody who develops against the gateway what happens in it, as it happens. */
export type Watch = {
  request(seen: SeenRequest): void;
  attempt(seen: SeenAttempt): void;
};

/** A line per request and attempt. Requests of the sandbox's own members are not shown: nobody sent them. */
export function linesOf(print: (line: string) => void, silent: string): Watch {
  return {
    request({ method, path, status, ms, code, request_id, user_agent }) {
      if (user_agent !== silent) print(`${method} ${path} ${status} ${code === null ? '' : `${code} `}${ms} ms  ${request_id}`);
    },
    attempt({ event, delivery_id, http_status, error, ms }) {
      print(
        `webhook ${event} ${http_status ?? ''}${error === null ? '' : `${http_status === null ? '' : ' '}${error}`} ${ms} ms  ${delivery_id}`,
      );
    },
  };
}
