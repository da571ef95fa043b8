import type { ErrorCode } from './errors.ts';

/** What the page of errors says of a code beside its status and its sentence. */
export type GuideEntry = {
  /** When a request gets it. */
  when: string;
  /** What its sender does then. */
  remedy: string;
};

/** The text of every code: a code without one does not compile. */
export const ERROR_GUIDE: Record<ErrorCode, GuideEntry> = {
  VALIDATION_FAILED: {
    when: 'A field of the body, a parameter of the query or a header is missing, or is not of the declared kind. `errors` names each with its path, what was seen and what was expected; its `code` is REQUIRED or INVALID, or a word of the field.',
    remedy:
      'Mend every entry of `errors` and send the request again. Numbers have no quotes, dates are YYYY-MM-DD, instants carry a time zone, enumerated words are written exactly as listed.',
  },
  UNKNOWN_PARAMETER: {
    when: 'The query has a parameter that the path does not take: ignored, it would silently change the result. `parameter` names it, `nearest` the closest known one, `known` all of them.',
    remedy: 'Correct the name, or leave the parameter out.',
  },
  UNKNOWN_VERSION: {
    when: 'The header Sluice-Version holds something else than the date of a version of the API. `versions` lists them.',
    remedy: 'Name one of them, or leave the header out: a key then gets the version of its first call.',
  },
  MALFORMED_JSON: {
    when: 'The body is empty, is not JSON in UTF-8, or has a name twice in one object. The message says line and column.',
    remedy: 'Make the body with a JSON library instead of by hand: json.dumps, JSON.stringify, jq.',
  },
  FILE_NAME_MISMATCH: {
    when: 'A completion names another file than its upload was opened for.',
    remedy: 'Send the file name of initiate, or give the upload another name with PATCH before completing it.',
  },
  BAD_REQUEST: {
    when: 'The request line or a header cannot be understood: a target that is no path, a path that cannot be decoded, a header that must be there once and is there twice, a length that does not fit the body, a file over HTTP/1.0.',
    remedy: 'Send the request with an ordinary HTTP client, to a path such as /v1/api/me.',
  },
  UNAUTHORIZED: {
    when: 'In version 2026-11-22 of the API, the code of every 401: the key is missing, malformed, unknown, expired, revoked or of another environment, or its organization is suspended. The message says which.',
    remedy: 'Do what the message says; with Sluice-Version: 2026-12-01 the code names the cause too.',
  },
  KEY_MISSING: {
    when: 'The request has no Authorization header. Keys in other headers or in the query are not read.',
    remedy: 'Send the header Authorization: Bearer <API_KEY>.',
  },
  KEY_MALFORMED: {
    when: 'The Authorization header is there but holds no key: no Bearer, another scheme, quotation marks, a line break, an unfilled variable, or a part of a key.',
    remedy: 'Write Bearer, one space and the whole key, which is three parts separated by dots.',
  },
  KEY_UNKNOWN: {
    when: 'The token has the form of a key, but this platform has not signed it, or has no record of it.',
    remedy:
      'Copy the whole key again and look whether the address is that of the platform which issued it; otherwise ask the operator for a key.',
  },
  KEY_EXPIRED: {
    when: 'The key was valid until the instant that the message names.',
    remedy: 'Ask the operator for a new key. `GET /v1/api/me` shows `expires_at` of a key in force.',
  },
  KEY_REVOKED: {
    when: 'The operator has revoked the key, or its rotation has ended.',
    remedy: 'Use the key that took its place, or ask the operator for a new one.',
  },
  KEY_WRONG_ENVIRONMENT: {
    when: 'The key is of another environment (development, staging, production) than the address that it was sent to.',
    remedy: 'Use the address of the environment of the key, or a key of this environment.',
  },
  ORGANIZATION_SUSPENDED: {
    when: 'The organization of the key is suspended; none of its keys works until it is resumed.',
    remedy: 'Ask the operator.',
  },
  ROLE_FORBIDDEN: {
    when: 'The key is valid, and its role may not call this path. `role` is that of the key, `needed` are those that may.',
    remedy: 'Use a key with one of the needed roles. Nothing was looked up or changed.',
  },
  SESSION_EXPIRED: {
    when: 'The cookie of a session is not that of a session in force: it was not used for 8 hours, is older than 24, was ended by a sign-out, or the member was suspended or removed.',
    remedy: 'Sign in again at `/auth/login`.',
  },
  SIGN_IN_REFUSED: {
    when: 'The identity provider did not accept the sign-in, its response does not pass the checks (issuer, nonce, signature, time), or the sign-in was not begun in this browser, was ended before, or took more than ten minutes.',
    remedy: 'Begin again at `/auth/login`.',
  },
  NOT_A_MEMBER: {
    when: 'The identity provider knows the person, and no organization has an active member with their verified e-mail address.',
    remedy: 'Ask an ADMIN of the organization to add the address as a member, or the provider to verify it.',
  },
  RIGHT_REQUIRED: {
    when: 'A person who is signed in lacks the right that the path needs: ADMIN for members, keys and webhooks, APPROVE for what moves money or gives rights in a deal, EDIT for other changes. `rights` are those of the member, `needed` is the one that the path takes. A key gets it where only people may act.',
    remedy: 'Ask an ADMIN of your organization for the right, or let a member who has it act.',
  },
  CSRF_FAILED: {
    when: 'A request with the cookie of a session changes something and carries no `X-Sluice-CSRF`, or not the value of this session.',
    remedy:
      'Send the `csrf` of `GET /auth/me` as `X-Sluice-CSRF`. After a sign-in or a change of the organization it is another one.',
  },
  ORGANIZATION_REQUIRED: {
    when: 'The person who is signed in is a member of several organizations and has chosen none.',
    remedy: 'Choose one of the `organizations` of `GET /auth/me` with `POST /auth/organization`.',
  },
  SCOPE_FORBIDDEN: {
    when: 'The role of the key may call this path, but the key is narrowed to scopes. `scopes` are those of the key, `needed` those that the path takes; null where only a key without scopes may call it.',
    remedy: 'Use a key with the needed scopes. Nothing was looked up or changed.',
  },
  NETWORK_FORBIDDEN: {
    when: 'The key is narrowed to networks, and the request comes from an address outside them. `address` is the one that the gateway sees, `networks` those of the key.',
    remedy:
      'Send the request from one of the networks. Behind a proxy the gateway sees its address unless the operator has named it in `SLUICE_TRUSTED_PROXIES`.',
  },
  OWN_ORGANIZATION: {
    when: 'An operator decides about a record of the organization that its own key belongs to.',
    remedy: 'Let an operator of another organization decide.',
  },
  SAME_PERSON: {
    when: 'Who approves or denies an act is the person who asked for it, or has decided on it before, or whose own membership it is about. `decided_by` says who has decided.',
    remedy: 'Let another person with the right decide.',
  },
  ORIGIN_FORBIDDEN: {
    when: 'A request to `/mcp` has an `Origin` that is not this gateway, or, where it listens on this machine alone, a `Host` that is another machine: so looks a web page that reaches for a local server.',
    remedy: 'Call the address that `SLUICE_PUBLIC_URL` names, from a program rather than from a page of another site.',
  },
  SIGNATURE_INVALID: {
    when: 'A signed address (an upload, a download, a link in an e-mail) is cut, altered, expired, replaced by a newer one or bound to another content type or size, or its key is no longer in force.',
    remedy: 'Use the newest address exactly as it was given, with its `upload_headers`, or request a new one.',
  },
  NOT_FOUND: {
    when: 'There is no such path, or no such record that the key may see. A record of another organization is not found either. For a path, `nearest` names the closest one.',
    remedy:
      'Compare path and id with the reference: ids begin with the kind of their record, such as deal_, and are used whole and in lower case.',
  },
  REQUEST_LOG_OFF: {
    when: 'The log of requests is switched off on this platform, by the setting `SLUICE_REQUEST_LOG`.',
    remedy: 'Ask the operator to switch it on; requests of before then are not in it.',
  },
  METHOD_NOT_ALLOWED: {
    when: 'The path exists, but not with the method of the request.',
    remedy: 'Use a method that the message and the header Allow list.',
  },
  REQUEST_TIMEOUT: {
    when: 'The body did not arrive in time, or arrived too slowly.',
    remedy: 'Send it again, over a faster connection or in a smaller request. The connection is closed.',
  },
  CONFLICT: {
    when: 'The present state of a record does not permit the request. The message says which state and which one is needed.',
    remedy: 'Read the record, do what brings it to the needed state, and send the request again.',
  },
  ROLE_CONFLICT: {
    when: 'A key of the operator is requested for an organization with customer keys, or for a customer with people; or the reverse.',
    remedy: 'Issue the key to another organization. A key that was issued by mistake is revoked first.',
  },
  NAME_TAKEN: {
    when: 'An organization has that name already, or one that looks like it.',
    remedy: 'Choose another name, or use the organization that exists.',
  },
  DRAFT_EXISTS: {
    when: 'The organization has a DRAFT of this loan type already: there is one at a time. `existing_deal_id` names it.',
    remedy: 'Complete that draft, get a new address for it with PATCH, or delete it.',
  },
  INVALID_TRANSITION: {
    when: 'The status of a record does not permit the act. `current_status` is its status, `allowed` are those it can become, or must have.',
    remedy: 'Read the record; what is final stays so.',
  },
  ALREADY_COMPLETED: {
    when: 'The upload, submission or document has been completed before.',
    remedy: 'Open another upload for another file. To repeat a request safely, send an Idempotency-Key.',
  },
  UPLOAD_IN_PROGRESS: {
    when: 'Another PUT is sending bytes to the same address.',
    remedy: 'Wait for Retry-After seconds; if the other PUT has been given up by then, send the file again.',
  },
  UPLOADS_PENDING: {
    when: 'The organization has as many unfinished uploads as it may have. `pending` and `limit` count them.',
    remedy: 'Complete some of them, or wait until their addresses have expired, 15 minutes after they were made.',
  },
  RUN_IN_PROGRESS: {
    when: 'A run of the same criteria on the same deal is queued or running.',
    remedy: 'Read its result when it has ended; then start another one.',
  },
  WAIVER_PENDING: {
    when: 'A waiver is requested for a loan and a rule for which another one waits to be decided: `waiver_id` names it, `loan_ids` the first 100 of its loans.',
    remedy: 'Wait for its decision, or ask for the other loans alone.',
  },
  LOAN_ALREADY_POOLED: {
    when: 'A loan of the request is in another live pool. `loans` names some of them, `total` counts them.',
    remedy: 'Leave these loans out, or take them out of the other pool first.',
  },
  PLEDGE_CONFLICT: {
    when: 'Loans of the pool are pledged elsewhere too. `conflict_ids` names the conflicts.',
    remedy: 'Resolve each conflict, or leave its loans out of the pool.',
  },
  IOI_EXISTS: {
    when: 'The investor has a live indication of interest for the deal: there is one at a time.',
    remedy: 'Change its amount with PATCH, or withdraw it first.',
  },
  BOOKS_CLOSED: {
    when: 'An indication, subscription or order is made or changed for a deal whose `market_status` is not MARKETING.',
    remedy: 'Wait until the operator opens the books again; `GET /v1/api/investor/deals/{dealId}` shows the status.',
  },
  ALLOCATIONS_OPEN: {
    when: 'A deal is to be closed while allocations wait to be accepted or declined, or to settle. `allocations` lists them.',
    remedy: 'Settle, cancel or let them expire; then close the deal.',
  },
  NOT_REPLAYABLE: {
    when: 'The delivery to replay is not FAILED.',
    remedy: 'Read its status; a delivery that is PENDING is attempted by itself, one that is DELIVERED was received.',
  },
  RECOVERY_IN_PROGRESS: {
    when: 'Another recovery of the same webhook subscription is running.',
    remedy: 'Try again when it has ended, after Retry-After seconds.',
  },
  IN_USE: {
    when: 'The sandbox is to be emptied of deals in which other organizations hold records. `deal_ids` names them.',
    remedy: 'Let the operator reset the sandbox, or keep these deals.',
  },
  IDEMPOTENCY_IN_PROGRESS: {
    when: 'The first request with this Idempotency-Key is still running.',
    remedy: 'Repeat the request after Retry-After seconds: it then gets the stored response.',
  },
  PERSONAL_DATA_DESTROYED: {
    when: 'The file held personal data, whose key was destroyed on request.',
    remedy: 'Nobody can open the file any more; use a later version of the tape.',
  },
  STALE: {
    when: 'The record has changed since the version that If-Match names.',
    remedy: 'Read the record again, look whether the change is still wanted, and send it with the new ETag.',
  },
  PAYLOAD_TOO_LARGE: {
    when: 'The body or file is larger, or has more rows, than it may have.',
    remedy: 'Send less at once. The message says the limit; `max_bytes` of an upload does too.',
  },
  UNSUPPORTED_MEDIA_TYPE: {
    when: 'The body has another content type than the path reads, or none, a charset other than UTF-8, or a Content-Encoding.',
    remedy: 'Send JSON with Content-Type: application/json; with curl, -H "Content-Type: application/json".',
  },
  UNPROCESSABLE: {
    when: 'The request is well-formed, and its figures or records cannot be used together. The message says which and why.',
    remedy: 'Change what the message names.',
  },
  RANGE_REVERSED: {
    when: 'The bound `from` lies after the bound `to`.',
    remedy: 'Exchange the two.',
  },
  FILE_NOT_UPLOADED: {
    when: 'An upload is completed before its bytes have arrived, or its stored file is damaged.',
    remedy: 'Send the bytes with PUT to `upload_url`, with `upload_headers`; complete when the PUT was answered with 200.',
  },
  EMPTY_FILE: {
    when: 'The file has 0 bytes.',
    remedy: 'Send it again; with curl, -T FILE or --data-binary @FILE.',
  },
  UNREADABLE_FILE: {
    when: 'The file is none of the formats that are read, or has no header. The message says what was found.',
    remedy: 'Send CSV, XLSX or Parquet with one row of column names above the loans.',
  },
  NO_LOAN_ROWS: {
    when: 'The file has a header and no row of a loan under it.',
    remedy: 'Look whether the right sheet or file was exported.',
  },
  TYPE_MISMATCH: {
    when: 'The bytes of a document are of another type than the extension of its name says.',
    remedy: 'Give the file the extension of its type, or export it as the type of its extension.',
  },
  BULK_EMPTY: {
    when: 'A bulk submission has no deal.',
    remedy: 'Send at least one entry in `deals`.',
  },
  MAPPING_INVALID: {
    when: 'An entry of a mapping names a column that the tape does not have, a field that another column fills, or a transform that does not fit. `errors` names each entry.',
    remedy:
      'Compare with `GET …/mapping`, which lists the columns and the fields, and mend each entry. To give a field to another column, send the one that fills it with `target: null` in the same request.',
  },
  SEALED_FIELD: {
    when: 'The request names a column that is sealed as personal data.',
    remedy: 'Leave it out: sealed values are shown nowhere but in their owner’s download.',
  },
  UNKNOWN_FIELD: {
    when: 'Criteria, a structure, assumptions or a mapping have a word that is not part of their language. `errors` has its path and the nearest known word.',
    remedy: 'Correct the word: ignored, it would change figures without a sign.',
  },
  FIELD_NOT_DISCLOSED: {
    when: 'The request names a field of loans that the owner of the deal does not disclose.',
    remedy: 'Use the fields that the list of loans shows.',
  },
  INVALID_RULE: {
    when: 'A rule of criteria has no such operator, a value that does not fit its field, or no sense. `errors` has its path.',
    remedy: 'Mend the rule; `GET /v1/api/originator/loans/dictionary` lists the fields and their kinds.',
  },
  RULE_TOO_LARGE: {
    when: 'The rules of a set compare with more values than may be compared.',
    remedy: 'Split the set, or replace long lists by ranges.',
  },
  TOO_EXPENSIVE: {
    when: 'The work needs more time or memory than a request may take.',
    remedy: 'Ask for less at once, or submit the work as a job where there is one.',
  },
  PROHIBITED_FIELD: {
    when: 'A rule tests an attribute on which lenders may not select.',
    remedy: 'Take the rule out.',
  },
  LOAN_TYPE_MISMATCH: {
    when: 'Criteria, a pool or a report and the deal are of different loan types.',
    remedy: 'Use records of one loan type.',
  },
  UNKNOWN_LOAN: {
    when: 'A waiver names a loan that the exception file does not hold.',
    remedy: 'Use ids of loans as the exception file lists them.',
  },
  RULE_NOT_WAIVABLE: {
    when: 'A waiver is requested for a rule that says `waivable: false`, or for one that only warns.',
    remedy: 'Correct the loan, or leave it out; a rule that only warns fails no loan.',
  },
  TRANCHES_EXCEED_POOL: {
    when: 'The balances of the tranches add up to more than the pool.',
    remedy: 'Lower the balances; the message says both sums.',
  },
  WATERFALL_INVALID: {
    when: 'A structure breaks a rule of its language. `errors` has the path and the rule.',
    remedy: 'Mend each entry of `errors`: the language of structures has a guide of its own.',
  },
  ASSUMPTIONS_INVALID: {
    when: 'Assumptions contradict one another, or do not fit the structure. `errors` has the paths.',
    remedy: 'Mend each entry of `errors`.',
  },
  CURVE_MISSING: {
    when: 'A floating tranche is calculated without a curve of its index.',
    remedy: 'Send the curve in `index_curves` under the name of the index.',
  },
  REMITTANCE_HELD: {
    when: 'An earlier servicer report of the pool waits until the operator accepts it.',
    remedy: 'Wait for that decision, or send a correction of the held report.',
  },
  REMITTANCE_DOES_NOT_TIE: {
    when: 'Figures of a servicer report do not add up, or contradict what was applied before. `errors` has each difference, `lines` every figure as in the verification.',
    remedy: 'Correct the figures and report again.',
  },
  MARK_REQUIRED: {
    when: 'Tranches with bids have no published mark, which their price is computed from. `tranches` names them.',
    remedy: 'The operator publishes a PRICING calculation with `purpose: MARK` for each of them; then allocate again.',
  },
  FIXING_MISSING: {
    when: 'The coupon of a floating tranche is not known for its accrual.',
    remedy: 'The operator enters the fixing of the index; then settle again.',
  },
  COMPLIANCE_FAILED: {
    when: 'A check of the investor or of the amount has failed. `errors` has every check with its reason; nothing was created.',
    remedy:
      'Mend what the failed checks name: the amount by yourself, the profile with the operator. `POST …/subscribe/check` runs the checks alone.',
  },
  URL_NOT_ALLOWED: {
    when: 'The address of a receiver is in a network that deliveries may not reach, or is that of the gateway itself.',
    remedy: 'Use a public https address of your own; for tests on one machine, `sluice webhooks listen`.',
  },
  SUBSCRIPTION_LIMIT: {
    when: 'The organization has as many webhook subscriptions as it may have.',
    remedy: 'Delete one, or give one subscription several events.',
  },
  IDEMPOTENCY_KEY_REUSED: {
    when: 'The Idempotency-Key was used in the last 24 hours for another method, path or body.',
    remedy:
      'Make a new key for each request that is to have an effect of its own; repeat a request with its own key and exactly its own body.',
  },
  COMPUTE_BUSY: {
    when: 'All processes for heavy work are taken.',
    remedy: 'Send the request again after Retry-After seconds.',
  },
  RATE_LIMITED: {
    when: 'The key has made as many requests in the present minute as it may, or an address too many without a valid key. `x-ratelimit-reset` counts the seconds.',
    remedy: 'Wait for Retry-After seconds; use webhooks or the log of events in place of polling.',
  },
  QUEUE_FULL: {
    when: 'The organization has as many jobs in the queue as it may have.',
    remedy: 'Try again when some of them have started.',
  },
  HEADERS_TOO_LARGE: {
    when: 'The request line and headers are larger than 16 KiB together.',
    remedy: 'Send long values in the body, and no cookies.',
  },
  INTERNAL: {
    when: 'A defect of the platform. Nothing of a request that failed so was stored.',
    remedy: 'Send the request again with the same Idempotency-Key; if it fails again, tell the operator its `request_id`.',
  },
  OVERLOADED: {
    when: 'The process has more requests than it can serve in time, and has refused this one unread.',
    remedy: 'Send the request again after Retry-After seconds.',
  },
  UNAVAILABLE: {
    when: 'The database or the object store does not respond at present.',
    remedy: 'Send the request again after Retry-After seconds, with the same Idempotency-Key.',
  },
};
