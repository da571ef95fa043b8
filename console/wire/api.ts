// Made from openapi.json by `npm run generate`; edits are overwritten.

/**
 * READ: in a response; DOWNLOADED: as a file.
 */
export type AccessAct = 'READ' | 'DOWNLOADED';
/**
 * COLLECTION holds the collections of a period until they are paid. Default RESERVE.
 */
export type AccountKind = 'RESERVE' | 'COLLECTION';
/**
 * BELOW: loans with a rate below the discount rate (yield supplement). ALL: every loan (securitization value).
 */
export type AdjustedLoans = 'BELOW' | 'ALL';
export type AlertPriority = 'LOW' | 'MEDIUM' | 'HIGH' | 'CRITICAL';
export type AlertStatus = 'UNREAD' | 'READ' | 'ARCHIVED';
export type AllocationMethod = 'PRO_RATA' | 'CLEARING_YIELD';
export type AllocationStatus = 'ISSUED' | 'ACCEPTED' | 'DECLINED' | 'EXPIRED';
/**
 * Of principal. OC: what brings the notes down to the pool less a size. NOTES: what brings the notes down to a size. The size is `percent` of `of`, at least `floor`; or `amount`.
 */
export type PrincipalTarget = 'OC' | 'NOTES';
export type Role = 'originator' | 'investor' | 'both' | 'operator';
export type Environment = 'development' | 'staging' | 'production';
export type KeyStatus = 'ACTIVE' | 'EXPIRED' | 'REVOKED';
export type ApprovalAct =
  | 'DEAL_APPROVE'
  | 'DEAL_REJECT'
  | 'POOL_ISSUE'
  | 'ALLOCATE'
  | 'SETTLE'
  | 'MARK_PUBLISH'
  | 'PROFILE_SET'
  | 'WAIVER'
  | 'KEY_ISSUE'
  | 'REMITTANCE_ACCEPT'
  | 'POLICY_SET'
  | 'MEMBER_SET';
/**
 * PENDING: waits for people. DONE: the act was done with the last approval. DENIED: a person refused it. EXPIRED: it was not approved in three business days. FAILED: the state did not allow the act any more.
 */
export type ApprovalStatus = 'PENDING' | 'DONE' | 'DENIED' | 'EXPIRED' | 'FAILED';
/**
 * How values by month of speeds and severity are read. PERIOD (default): the first is that of the first projected month. AGE: by age of each loan, the first is that of the month after its origination; severity by age in the month of default.
 */
export type VectorBasis = 'PERIOD' | 'AGE';
/**
 * KEEP: loans default to their last payment, and what defaults in the last recovery_lag_months is liquidated after it. NONE (default): nothing defaults in these months; a warning names the amount.
 */
export type LateDefaults = 'NONE' | 'KEEP';
/**
 * Interest of deferred months: joins the balance (default), is due in equal parts afterwards, or is paid as it accrues.
 */
export type DefermentInterest = 'CAPITALISE' | 'SPREAD' | 'PAY';
/**
 * Checks are COMPLETED whatever they found, also when they wait for a mapping or a confirmation; FAILED: they ended without a result.
 */
export type JobStatus = 'PENDING' | 'PROCESSING' | 'COMPLETED' | 'PARTIALLY_COMPLETED' | 'FAILED';
export type CalculationType = 'CASHFLOW' | 'PRICING' | 'BREAKEVEN' | 'SCENARIOS' | 'RISK' | 'PRICE_TABLE';
export type CalculationPurpose = 'ANALYSIS' | 'MARK';
export type CalculationStatus = 'PENDING' | 'RUNNING' | 'COMPLETED' | 'FAILED';
/**
 * The last applied report, or the closing date.
 */
export type CalculationStart = 'LATEST' | 'CUT_OFF';
export type CalculationGranularity = 'LOAN' | 'REPLINE';
/**
 * BOOKED: as it was paid, restatement differences as rows of their own. REPORTED: your share of a report whose payment date is ahead. PROJECTED: your share of the cash flows of the mark. Null without amounts.
 */
export type CalendarBasis = 'BOOKED' | 'REPORTED' | 'PROJECTED';
/**
 * Default json.
 */
export type CashFlowFormat = 'json' | 'csv';
export type EventName =
  | 'deal.status_changed'
  | 'loan.approved'
  | 'loan.rejected'
  | 'trade.settled'
  | 'trade.failed'
  | 'trade.cancelled'
  | 'trade.retried'
  | 'sc.completed'
  | 'document.uploaded'
  | 'subscription.status_changed'
  | 'order.status_changed'
  | 'allocation.issued'
  | 'allocation.expiring'
  | 'allocation.status_changed'
  | 'deal.listed'
  | 'deal.market_status_changed'
  | 'demand.changed'
  | 'waiver.decided'
  | 'bulk.completed'
  | 'calculation.completed'
  | 'remittance.applied'
  | 'pool.factor_off'
  | 'trigger.near'
  | 'remittance.differs'
  | 'tape.checked'
  | 'tape.late'
  | 'pledge.conflict'
  | 'remittance.restated'
  | 'payment.made';
/**
 * Outcome of the latest attempt; PENDING until the first attempt has ended.
 */
export type DeliveryStatus = 'PENDING' | 'DELIVERED' | 'FAILED';
export type DocumentVisibility = 'PRIVATE' | 'INVESTORS';
export type Right = 'ADMIN' | 'EDIT' | 'APPROVE' | 'VIEW';
/**
 * DAILY: one e-mail each business day at 7:00 of the business zone that lists the alerts since the last one; none when there were none.
 */
export type NotificationDigest = 'DAILY' | 'NONE';
/**
 * The header names data of a person; at least 95 % of the values do; the column identifies the obligor; it was asked for.
 */
export type SealReason = 'HEADER' | 'CONTENT' | 'OBLIGOR' | 'REQUEST';
export type CheckResult = 'passed' | 'review_required' | 'failed';
/**
 * Stage of the checks; null for a bulk job.
 */
export type CheckStage = 'READING' | 'MATCHING' | 'CHECKING' | 'LISTING' | 'WRITING' | 'STORING';
/**
 * NEEDS_CONFIRMATION: would lose more than half of the loans or of the balance in force, and waits. DROPPED: was never in force.
 */
export type CheckState = 'RUNNING' | 'NEEDS_MAPPING' | 'NEEDS_CONFIRMATION' | 'DONE' | 'FAILED' | 'DROPPED';
/**
 * Loan type of the tape.
 */
export type LoanType = 'Auto' | 'Personal' | 'Mortgage' | 'Student' | 'Business' | 'Credit Card';
export type MarketStatus = 'MARKETING' | 'BOOKS_CLOSED' | 'ALLOCATED' | 'CLOSED' | 'WITHDRAWN';
/**
 * W9_FORM by default.
 */
export type TaxForm = 'W9_FORM' | 'W8_FORM';
export type DealStatus = 'DRAFT' | 'IN_REVIEW' | 'QC_COMPLETED' | 'APPROVED' | 'REJECTED' | 'EXPIRED' | 'WITHDRAWN';
/**
 * Outcome of the checks when the request was made.
 */
export type ComplianceResult = 'passed' | 'review_required';
/**
 * CLEARED: one side no longer holds the loans.
 */
export type ConflictStatus = 'OPEN' | 'RESOLVED' | 'CLEARED';
export type RunStatus = 'PENDING' | 'RUNNING' | 'COMPLETED' | 'FAILED' | 'CANCELLED';
export type OutcomeStatus = 'PASSED' | 'FAILED' | 'WAIVED';
export type FailureReason = 'BREACH' | 'MISSING';
export type RuleSeverity = 'fail' | 'warn';
export type MissingPolicy = 'fail' | 'pass';
export type Objective = 'min_removal' | 'max_pool';
/**
 * RUNNING: is read, or compared again because the tape before has changed. NEEDS_MAPPING: no column could be read as the amount. NEEDS_CONFIRMATION: more than half of the loans that owed are missing, and the tape is not in force.
 */
export type PoolTapeState = 'RUNNING' | 'NEEDS_MAPPING' | 'NEEDS_CONFIRMATION' | 'DONE' | 'FAILED';
export type FindingSeverity = 'ERROR' | 'WARNING';
/**
 * A loan deal, or the securitization deal that a pool became; the latter has its pool’s figures.
 */
export type DealKind = 'LOAN' | 'SECURITIZATION';
/**
 * Why it was made: for an event, a replay or a test.
 */
export type DeliveryKind = 'EVENT' | 'REPLAY' | 'TEST';
/**
 * PAUSED: you set active to false. GONE: the receiver responded with 410. FAILING: every delivery failed for five days.
 */
export type DisabledReason = 'PAUSED' | 'GONE' | 'FAILING';
/**
 * AGGREGATE: groups of loans; LOAN_LEVEL: each loan too, in the disclosed fields.
 */
export type DisclosureLevel = 'AGGREGATE' | 'LOAN_LEVEL';
/**
 * Stable, for branching.
 */
export type ErrorCode =
  | 'VALIDATION_FAILED'
  | 'UNKNOWN_PARAMETER'
  | 'MALFORMED_JSON'
  | 'FILE_NAME_MISMATCH'
  | 'BAD_REQUEST'
  | 'UNKNOWN_VERSION'
  | 'KEY_MISSING'
  | 'KEY_MALFORMED'
  | 'KEY_UNKNOWN'
  | 'KEY_EXPIRED'
  | 'KEY_REVOKED'
  | 'KEY_WRONG_ENVIRONMENT'
  | 'ORGANIZATION_SUSPENDED'
  | 'UNAUTHORIZED'
  | 'SESSION_EXPIRED'
  | 'SIGN_IN_REFUSED'
  | 'NOT_A_MEMBER'
  | 'ROLE_FORBIDDEN'
  | 'SCOPE_FORBIDDEN'
  | 'NETWORK_FORBIDDEN'
  | 'RIGHT_REQUIRED'
  | 'CSRF_FAILED'
  | 'ORGANIZATION_REQUIRED'
  | 'OWN_ORGANIZATION'
  | 'SAME_PERSON'
  | 'ORIGIN_FORBIDDEN'
  | 'SIGNATURE_INVALID'
  | 'NOT_FOUND'
  | 'REQUEST_LOG_OFF'
  | 'METHOD_NOT_ALLOWED'
  | 'REQUEST_TIMEOUT'
  | 'CONFLICT'
  | 'ROLE_CONFLICT'
  | 'NAME_TAKEN'
  | 'DRAFT_EXISTS'
  | 'INVALID_TRANSITION'
  | 'ALREADY_COMPLETED'
  | 'UPLOAD_IN_PROGRESS'
  | 'UPLOADS_PENDING'
  | 'RUN_IN_PROGRESS'
  | 'LOAN_ALREADY_POOLED'
  | 'PLEDGE_CONFLICT'
  | 'IOI_EXISTS'
  | 'BOOKS_CLOSED'
  | 'ALLOCATIONS_OPEN'
  | 'NOT_REPLAYABLE'
  | 'RECOVERY_IN_PROGRESS'
  | 'IN_USE'
  | 'IDEMPOTENCY_IN_PROGRESS'
  | 'PERSONAL_DATA_DESTROYED'
  | 'STALE'
  | 'PAYLOAD_TOO_LARGE'
  | 'UNSUPPORTED_MEDIA_TYPE'
  | 'UNPROCESSABLE'
  | 'RANGE_REVERSED'
  | 'FILE_NOT_UPLOADED'
  | 'EMPTY_FILE'
  | 'UNREADABLE_FILE'
  | 'NO_LOAN_ROWS'
  | 'TYPE_MISMATCH'
  | 'BULK_EMPTY'
  | 'MAPPING_INVALID'
  | 'SEALED_FIELD'
  | 'UNKNOWN_FIELD'
  | 'FIELD_NOT_DISCLOSED'
  | 'INVALID_RULE'
  | 'RULE_TOO_LARGE'
  | 'TOO_EXPENSIVE'
  | 'PROHIBITED_FIELD'
  | 'LOAN_TYPE_MISMATCH'
  | 'UNKNOWN_LOAN'
  | 'RULE_NOT_WAIVABLE'
  | 'TRANCHES_EXCEED_POOL'
  | 'WATERFALL_INVALID'
  | 'ASSUMPTIONS_INVALID'
  | 'CURVE_MISSING'
  | 'REMITTANCE_HELD'
  | 'REMITTANCE_DOES_NOT_TIE'
  | 'MARK_REQUIRED'
  | 'FIXING_MISSING'
  | 'COMPLIANCE_FAILED'
  | 'URL_NOT_ALLOWED'
  | 'SUBSCRIPTION_LIMIT'
  | 'IDEMPOTENCY_KEY_REUSED'
  | 'COMPUTE_BUSY'
  | 'RATE_LIMITED'
  | 'QUEUE_FULL'
  | 'HEADERS_TOO_LARGE'
  | 'INTERNAL'
  | 'OVERLOADED'
  | 'UNAVAILABLE';
/**
 * Of the calling key, or of the organization and all its keys.
 */
export type MappingMemoryScope = 'own' | 'organization';
/**
 * By which balances the groups of a PRINCIPAL step share: at the opening of the period, or at closing. Default CURRENT.
 */
export type GroupWeights = 'CURRENT' | 'ORIGINAL';
export type HttpMethod = 'GET' | 'HEAD' | 'POST' | 'PUT' | 'PATCH' | 'DELETE' | 'OPTIONS';
/**
 * Where the income goes. Default: ACCOUNT; POT for a COLLECTION account.
 */
export type IncomeReceiver = 'ACCOUNT' | 'POT';
/**
 * MIME type of the tape. A file of `text/csv` may be packed with gzip (`tape.csv.gz`).
 */
export type TapeFormat =
  | 'text/csv'
  | 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet'
  | 'application/vnd.apache.parquet';
export type TapeMode = 'REPLACE' | 'MERGE';
/**
 * Between values of the schedule. Default NONE.
 */
export type Interpolation = 'NONE' | 'LINEAR';
export type Offering = '144A' | '506C' | 'REG_S';
/**
 * PENDING until the operator sets the compliance profile after it was filed.
 */
export type ProfileDocumentStatus = 'PENDING' | 'REVIEWED';
export type VintageUnit = 'month' | 'quarter';
export type IoiStatus = 'submitted' | 'withdrawn' | 'converted' | 'expired';
/**
 * SECRET: a secret or token; ADDRESS: an address or headers; LOAN: about a single loan; ROWS: the rows of a list that was read; TEXT: free text; OPEN: a record without named fields; INVALID: not as the schema says; FILE: bytes.
 */
export type OmissionReason = 'SECRET' | 'ADDRESS' | 'LOAN' | 'TEXT' | 'OPEN' | 'INVALID' | 'FILE' | 'ROWS';
export type LoanJobKind = 'TAPE_CHECKS' | 'BULK';
export type PreviewOutcome = 'BECOMES_UNREADABLE' | 'BECOMES_MISSING' | 'CHANGED' | 'UNCHANGED';
/**
 * Reported by the servicer, or projected by the calculation.
 */
export type PerformanceBasis = 'ACTUAL' | 'PROJECTED';
export type Meeting = 'loan_id' | 'vin' | 'property' | 'contract_number' | 'invoice';
/**
 * INVITED: has not signed in yet. ACTIVE: may sign in and act. SUSPENDED: may not.
 */
export type MemberStatus = 'INVITED' | 'ACTIVE' | 'SUSPENDED';
export type Scope =
  | 'loans:read'
  | 'loans:write'
  | 'loans:*'
  | 'criteria:read'
  | 'criteria:write'
  | 'criteria:*'
  | 'pools:read'
  | 'pools:write'
  | 'pools:*'
  | 'analytics:read'
  | 'analytics:write'
  | 'analytics:*'
  | 'documents:read'
  | 'documents:write'
  | 'documents:*'
  | 'deals:read'
  | 'deals:write'
  | 'deals:*'
  | 'orders:read'
  | 'orders:write'
  | 'orders:*'
  | 'portfolio:read'
  | 'portfolio:write'
  | 'portfolio:*'
  | 'alerts:read'
  | 'alerts:write'
  | 'alerts:*'
  | 'webhooks:read'
  | 'webhooks:write'
  | 'webhooks:*'
  | 'audit:read'
  | 'audit:write'
  | 'audit:*'
  | 'requests:read'
  | 'requests:write'
  | 'requests:*';
/**
 * off: this platform has no mail server, so nothing is sent.
 */
export type NotificationDelivery = 'on' | 'off';
export type OrderStatus = 'OPEN' | 'ALLOCATED' | 'PARTIALLY_ALLOCATED' | 'UNFILLED' | 'CANCELLED';
/**
 * OF_RECORD: a settled position at the end of the record date. RETAINED: the face that nobody bought, of the owner of the deal.
 */
export type PaymentHolder = 'OF_RECORD' | 'RETAINED';
export type PledgeStatus = 'LIVE' | 'RELEASED';
export type PoolStatus = 'DRAFT' | 'STRUCTURED' | 'LOCKED' | 'ISSUED' | 'CLOSED' | 'CANCELLED';
/**
 * SCHEDULED until the payment date, HELD there while it waits to be accepted, then APPLIED: balances, factors, payments and triggers follow it.
 */
export type RemittanceStatus = 'SCHEDULED' | 'HELD' | 'APPLIED';
/**
 * DIFFERS: a figure differs by a cent or more. PARTIAL: a figure could not be computed, or no available funds were reported.
 */
export type VerificationStatus = 'AGREES' | 'DIFFERS' | 'PARTIAL';
export type VerificationFigure =
  | 'INTEREST'
  | 'PRINCIPAL'
  | 'ENDING_BALANCE'
  | 'CARRY_OVER'
  | 'WRITE_DOWN'
  | 'FEE_DUE'
  | 'FEE_PAID'
  | 'STEP'
  | 'ACCOUNT_DRAW'
  | 'ACCOUNT_DEPOSIT'
  | 'ACCOUNT_RELEASE'
  | 'ACCOUNT_CLOSING'
  | 'RESIDUAL'
  | 'TRIGGER'
  | 'PAYMENT_DATE'
  | 'TIE';
export type SubscriptionStatus =
  | 'pending_confirmation'
  | 'confirmed'
  | 'allocated'
  | 'funded'
  | 'settled'
  | 'rejected'
  | 'cancelled'
  | 'expired';
export type TradeStatus = 'PENDING_SETTLEMENT' | 'SETTLED' | 'FAILED' | 'CANCELLED';
export type OrganizationStatus = 'ACTIVE' | 'SUSPENDED';
/**
 * CENT: every fee, interest, target, draw and income is rounded to the cent, half up, when it becomes due, as certificates do. Default NONE.
 */
export type PaymentRounding = 'NONE' | 'CENT';
/**
 * Where the figures come from: a monthly tape, or the servicer report of the period.
 */
export type PerformanceSource = 'TAPE' | 'CERTIFICATE';
export type RollState = 'CURRENT' | '30' | '60' | '90' | '120' | 'DEFAULTED' | 'PREPAID' | 'PAID';
export type StructureFindingCode =
  | 'NEVER_PAID'
  | 'NEVER_BINDS'
  | 'NEVER_USED'
  | 'NO_DRAW'
  | 'TARGET_ZERO'
  | 'PAID_TWICE'
  | 'LEFT_OUT'
  | 'RANK_ORDER';
export type PortfolioRunStatus = 'RUNNING' | 'COMPLETED';
/**
 * APPLIED (default): from the last applied report. REPORTED: from the opening balances, shortfalls, carry-overs, unpaid fees, accounts and `trigger_state` of the body.
 */
export type VerifiedOpening = 'APPLIED' | 'REPORTED';
/**
 * Metric.
 */
export type TriggerMetric =
  | 'CUMULATIVE_NET_LOSS'
  | 'CUMULATIVE_NET_LOSS_AVG3'
  | 'OC'
  | 'OC_AVG3'
  | 'EXCESS_SPREAD'
  | 'EXCESS_SPREAD_AVG3'
  | 'DELINQUENT_60'
  | 'DELINQUENT_60_AVG3'
  | 'POOL_FACTOR'
  | 'POOL_FACTOR_AVG3'
  | 'RESERVE_RATIO'
  | 'RESERVE_RATIO_AVG3'
  | 'PAYMENT_RATE'
  | 'PAYMENT_RATE_AVG3'
  | 'PERIOD'
  | 'DATE'
  | 'INTEREST_SHORTFALL'
  | 'INTEREST_SHORTFALL_AVG3'
  | 'PRINCIPAL_SHORTFALL'
  | 'PRINCIPAL_SHORTFALL_AVG3'
  | 'DELINQUENT_30'
  | 'DELINQUENT_30_AVG3'
  | 'DELINQUENT_90'
  | 'DELINQUENT_90_AVG3'
  | 'NET_LOSS_12M'
  | 'NET_LOSS_12M_AVG3'
  | 'NOTE_BALANCE'
  | 'NOTE_BALANCE_AVG3';
/**
 * Refused with 422, which says the right word.
 */
export type WrongMetric = 'CREDIT_ENHANCEMENT';
/**
 * Comparison.
 */
export type TriggerOperator = 'gt' | 'gte' | 'lt' | 'lte';
/**
 * Refused with 422, which says the right word.
 */
export type WrongOperator = 'ge' | 'le';
export type WaiverStatus = 'PENDING' | 'APPROVED' | 'DENIED';

export interface Schemas {
  Acceptance: Acceptance;
  AccessAct: AccessAct;
  AccountIncome: AccountIncome;
  AccountKind: AccountKind;
  AdjustedLoans: AdjustedLoans;
  AdvanceClock: AdvanceClock;
  AdvancePool: AdvancePool;
  AdvancedPeriod: AdvancedPeriod;
  AdvancedPool: AdvancedPool;
  AdvancedPoolResponse: AdvancedPoolResponse;
  Alert: Alert;
  AlertList: AlertList;
  AlertPriority: AlertPriority;
  AlertResponse: AlertResponse;
  AlertStatus: AlertStatus;
  AllTriggers: AllTriggers;
  AllocateDeal: AllocateDeal;
  Allocation: Allocation;
  AllocationEventData: AllocationEventData;
  AllocationExpiringMessage: AllocationExpiringMessage;
  AllocationFill: AllocationFill;
  AllocationIssuedMessage: AllocationIssuedMessage;
  AllocationMethod: AllocationMethod;
  AllocationPage: AllocationPage;
  AllocationProof: AllocationProof;
  AllocationProofResponse: AllocationProofResponse;
  AllocationResponse: AllocationResponse;
  AllocationStatus: AllocationStatus;
  AllocationStatusChangedMessage: AllocationStatusChangedMessage;
  AmountForm: AmountForm;
  AmountPoint: AmountPoint;
  AnyTrigger: AnyTrigger;
  ApiKey: ApiKey;
  ApiKeyPage: ApiKeyPage;
  ApiKeyResponse: ApiKeyResponse;
  Approval: Approval;
  ApprovalAct: ApprovalAct;
  ApprovalDecision: ApprovalDecision;
  ApprovalFailure: ApprovalFailure;
  ApprovalPage: ApprovalPage;
  ApprovalPolicy: ApprovalPolicy;
  ApprovalPolicyResponse: ApprovalPolicyResponse;
  ApprovalResponse: ApprovalResponse;
  ApprovalStatus: ApprovalStatus;
  ApprovedToken: ApprovedToken;
  ApprovedTokenResponse: ApprovedTokenResponse;
  AssetLiabilityProjection: AssetLiabilityProjection;
  AssetLiabilityProjectionResponse: AssetLiabilityProjectionResponse;
  AssetLiabilityRow: AssetLiabilityRow;
  AssumptionSegment: AssumptionSegment;
  Assumptions: Assumptions;
  AuditCheckpoints: AuditCheckpoints;
  AuditEntry: AuditEntry;
  AuditEntryPage: AuditEntryPage;
  AuditProblem: AuditProblem;
  AuditVerification: AuditVerification;
  AuditVerificationResponse: AuditVerificationResponse;
  AvailableFunds: AvailableFunds;
  BookEntry: BookEntry;
  BulkCompletedData: BulkCompletedData;
  BulkCompletedMessage: BulkCompletedMessage;
  BulkDeal: BulkDeal;
  BulkJob: BulkJob;
  BulkJobResponse: BulkJobResponse;
  BulkProblem: BulkProblem;
  Calculation: Calculation;
  CalculationCompletedData: CalculationCompletedData;
  CalculationCompletedMessage: CalculationCompletedMessage;
  CalculationGranularity: CalculationGranularity;
  CalculationOpening: CalculationOpening;
  CalculationPurpose: CalculationPurpose;
  CalculationResponse: CalculationResponse;
  CalculationStart: CalculationStart;
  CalculationStatus: CalculationStatus;
  CalculationSummary: CalculationSummary;
  CalculationSummaryPage: CalculationSummaryPage;
  CalculationSummaryResponse: CalculationSummaryResponse;
  CalculationType: CalculationType;
  CalendarBasis: CalendarBasis;
  CalendarPayment: CalendarPayment;
  CalendarPaymentListResponse: CalendarPaymentListResponse;
  CalendarReason: CalendarReason;
  CanonicalField: CanonicalField;
  CanonicalFieldListResponse: CanonicalFieldListResponse;
  CashFlow: CashFlow;
  CashFlowFormat: CashFlowFormat;
  CashFlowListResponse: CashFlowListResponse;
  CausedDelivery: CausedDelivery;
  CausedEvent: CausedEvent;
  ChangeAlert: ChangeAlert;
  ChangeDocument: ChangeDocument;
  ChangeMapping: ChangeMapping;
  ChangeMember: ChangeMember;
  ChangeNotificationPreferences: ChangeNotificationPreferences;
  ChangeOrder: ChangeOrder;
  ChangePool: ChangePool;
  ChangeSubscription: ChangeSubscription;
  ChangeWebhookSubscription: ChangeWebhookSubscription;
  ChangedMapping: ChangedMapping;
  ChangedMappingResponse: ChangedMappingResponse;
  ChangedPoolTapeMapping: ChangedPoolTapeMapping;
  ChangedPoolTapeMappingResponse: ChangedPoolTapeMappingResponse;
  CheckResult: CheckResult;
  CheckStage: CheckStage;
  CheckState: CheckState;
  ChecksProgress: ChecksProgress;
  CollateralResult: CollateralResult;
  CollateralSummary: CollateralSummary;
  CollectionPeriod: CollectionPeriod;
  ColumnConcat: ColumnConcat;
  ColumnFormula: ColumnFormula;
  ColumnSplit: ColumnSplit;
  ColumnTransform: ColumnTransform;
  ComparableDeal: ComparableDeal;
  ComparableDealListResponse: ComparableDealListResponse;
  CompleteDocument: CompleteDocument;
  CompletePoolTape: CompletePoolTape;
  CompleteProfileDocument: CompleteProfileDocument;
  CompleteTape: CompleteTape;
  CompletedTape: CompletedTape;
  CompletedTapeResponse: CompletedTapeResponse;
  ComplianceCheck: ComplianceCheck;
  ComplianceProfile: ComplianceProfile;
  ComplianceResult: ComplianceResult;
  Concentration: Concentration;
  ConfirmedTape: ConfirmedTape;
  ConfirmedTapeResponse: ConfirmedTapeResponse;
  ConflictResolution: ConflictResolution;
  ConflictStatus: ConflictStatus;
  CouponReset: CouponReset;
  CreditRisk: CreditRisk;
  CreditRiskResponse: CreditRiskResponse;
  CriteriaRun: CriteriaRun;
  CriteriaRunPage: CriteriaRunPage;
  CriteriaRunResponse: CriteriaRunResponse;
  CriteriaSet: CriteriaSet;
  CriteriaSetPage: CriteriaSetPage;
  CriteriaSetResponse: CriteriaSetResponse;
  CriteriaTemplate: CriteriaTemplate;
  CriteriaTemplateListResponse: CriteriaTemplateListResponse;
  CumulativeNetLoss: CumulativeNetLoss;
  Cure: Cure;
  Cures: Cures;
  CuresResponse: CuresResponse;
  CurrentKey: CurrentKey;
  CurrentKeyResponse: CurrentKeyResponse;
  Deal: Deal;
  DealAllocation: DealAllocation;
  DealAllocationResponse: DealAllocationResponse;
  DealBook: DealBook;
  DealBookResponse: DealBookResponse;
  DealDisclosure: DealDisclosure;
  DealDisclosureResponse: DealDisclosureResponse;
  DealDocument: DealDocument;
  DealDocumentPage: DealDocumentPage;
  DealDocumentResponse: DealDocumentResponse;
  DealExplanation: DealExplanation;
  DealKind: DealKind;
  DealListedMessage: DealListedMessage;
  DealMarketStatusChangedMessage: DealMarketStatusChangedMessage;
  DealMove: DealMove;
  DealResponse: DealResponse;
  DealStatus: DealStatus;
  DealStatusChangedData: DealStatusChangedData;
  DealStatusChangedMessage: DealStatusChangedMessage;
  DealStructure: DealStructure;
  DealStructureResponse: DealStructureResponse;
  DealSummary: DealSummary;
  DealSummaryPage: DealSummaryPage;
  DealSummaryResponse: DealSummaryResponse;
  DealWarnings: DealWarnings;
  DecisionReason: DecisionReason;
  DefermentInterest: DefermentInterest;
  DelinquencyBucket: DelinquencyBucket;
  Delivery: Delivery;
  DeliveryAttempt: DeliveryAttempt;
  DeliveryKind: DeliveryKind;
  DeliveryRequest: DeliveryRequest;
  DeliveryResponse: DeliveryResponse;
  DeliveryStatus: DeliveryStatus;
  DeliverySummary: DeliverySummary;
  DeliverySummaryPage: DeliverySummaryPage;
  DeliverySummaryResponse: DeliverySummaryResponse;
  Demand: Demand;
  DemandAtLimit: DemandAtLimit;
  DemandChangedData: DemandChangedData;
  DemandChangedMessage: DemandChangedMessage;
  DestroyedPersonalData: DestroyedPersonalData;
  DestroyedPersonalDataResponse: DestroyedPersonalDataResponse;
  DisabledReason: DisabledReason;
  DisclosedLoan: DisclosedLoan;
  DisclosedLoanPage: DisclosedLoanPage;
  Disclosure: Disclosure;
  DisclosureLevel: DisclosureLevel;
  DisclosureResponse: DisclosureResponse;
  DocumentAccess: DocumentAccess;
  DocumentAccessPage: DocumentAccessPage;
  DocumentAddress: DocumentAddress;
  DocumentAddressResponse: DocumentAddressResponse;
  DocumentSummary: DocumentSummary;
  DocumentSummaryPage: DocumentSummaryPage;
  DocumentUploadedData: DocumentUploadedData;
  DocumentUploadedMessage: DocumentUploadedMessage;
  DocumentVisibility: DocumentVisibility;
  DocumentWithVersions: DocumentWithVersions;
  DocumentWithVersionsResponse: DocumentWithVersionsResponse;
  EarlierRequest: EarlierRequest;
  Environment: Environment;
  Error: Error;
  ErrorCode: ErrorCode;
  Event: Event;
  EventName: EventName;
  EventSlice: EventSlice;
  EventType: EventType;
  EventTypeListResponse: EventTypeListResponse;
  ExceptionFile: ExceptionFile;
  ExceptionFilePage: ExceptionFilePage;
  ExceptionFileResponse: ExceptionFileResponse;
  ExplainedAccount: ExplainedAccount;
  ExplainedCall: ExplainedCall;
  ExplainedFee: ExplainedFee;
  ExplainedStep: ExplainedStep;
  ExplainedTranche: ExplainedTranche;
  ExplainedTrigger: ExplainedTrigger;
  Exposure: Exposure;
  ExposureListResponse: ExposureListResponse;
  FailureReason: FailureReason;
  FieldProblem: FieldProblem;
  FieldRange: FieldRange;
  Finding: Finding;
  FindingPage: FindingPage;
  FindingSeverity: FindingSeverity;
  Fingerprinted: Fingerprinted;
  FireEvent: FireEvent;
  FiredEvent: FiredEvent;
  FiredEventResponse: FiredEventResponse;
  Fixing: Fixing;
  FixingPage: FixingPage;
  FixingResponse: FixingResponse;
  FollowedDeal: FollowedDeal;
  ForgottenMapping: ForgottenMapping;
  ForgottenMappingResponse: ForgottenMappingResponse;
  FoundDeal: FoundDeal;
  FoundDeals: FoundDeals;
  FoundLoan: FoundLoan;
  FoundLoans: FoundLoans;
  FoundOrganization: FoundOrganization;
  FoundOrganizations: FoundOrganizations;
  FoundPool: FoundPool;
  FoundPools: FoundPools;
  GroupWeights: GroupWeights;
  Herfindahl: Herfindahl;
  HttpMethod: HttpMethod;
  IncomeReceiver: IncomeReceiver;
  IndexFixing: IndexFixing;
  InitiateBulkUpload: InitiateBulkUpload;
  InitiateDocument: InitiateDocument;
  InitiateProfileDocument: InitiateProfileDocument;
  InitiateTape: InitiateTape;
  InitiateVersion: InitiateVersion;
  InitiatedPoolTape: InitiatedPoolTape;
  InitiatedPoolTapeResponse: InitiatedPoolTapeResponse;
  InitiatedTape: InitiatedTape;
  InitiatedTapeResponse: InitiatedTapeResponse;
  Interest: Interest;
  InterestEventFigures: InterestEventFigures1;
  Interpolation: Interpolation;
  InvestorCalculation: InvestorCalculation;
  InvestorCalculationResponse: InvestorCalculationResponse;
  InvestorCalculationSummary: InvestorCalculationSummary;
  InvestorCalculationSummaryPage: InvestorCalculationSummaryPage;
  InvestorCalculationSummaryResponse: InvestorCalculationSummaryResponse;
  InvestorCreditRisk: InvestorCreditRisk;
  InvestorCreditRiskResponse: InvestorCreditRiskResponse;
  InvestorDemand: InvestorDemand;
  InvestorProfile: InvestorProfile;
  InvestorProfileResponse: InvestorProfileResponse;
  InvestorStrats: InvestorStrats;
  InvestorStratsResponse: InvestorStratsResponse;
  InvestorVintages: InvestorVintages;
  InvestorVintagesResponse: InvestorVintagesResponse;
  Ioi: Ioi;
  IoiPage: IoiPage;
  IoiResponse: IoiResponse;
  IoiStatus: IoiStatus;
  IssueCounts: IssueCounts;
  IssuedKey: IssuedKey;
  IssuedKeyResponse: IssuedKeyResponse;
  JobStatus: JobStatus;
  KeptRequest: KeptRequest;
  KeptResponse: KeptResponse;
  KeyStatus: KeyStatus;
  LateDefaults: LateDefaults;
  LeftOutDeal: LeftOutDeal;
  ListedLoanChange: ListedLoanChange;
  ListingEventData: ListingEventData;
  Loan: Loan1;
  LoanApprovedData: LoanApprovedData;
  LoanApprovedMessage: LoanApprovedMessage;
  LoanChange: LoanChange;
  LoanJob: LoanJob;
  LoanJobKind: LoanJobKind;
  LoanJobProgress: LoanJobProgress;
  LoanJobResponse: LoanJobResponse;
  LoanOutcome: LoanOutcome;
  LoanOutcomePage: LoanOutcomePage;
  LoanPage: LoanPage;
  LoanRejectedData: LoanRejectedData;
  LoanRejectedMessage: LoanRejectedMessage;
  LoanResponse: LoanResponse;
  LoanRule: LoanRule;
  LoanType: LoanType;
  LoggedRequest: LoggedRequest;
  LoggedRequestDetail: LoggedRequestDetail;
  LoggedRequestDetailResponse: LoggedRequestDetailResponse;
  LoggedRequestPage: LoggedRequestPage;
  LossDistribution: LossDistribution;
  MappedColumn: MappedColumn;
  Mapping: Mapping;
  MappingEntry: MappingEntry;
  MappingMemoryScope: MappingMemoryScope;
  MappingPreview: MappingPreview;
  MappingPreviewResponse: MappingPreviewResponse;
  MappingResponse: MappingResponse;
  MappingSuggestion: MappingSuggestion;
  MarkAlertsBefore: MarkAlertsBefore;
  MarkAlertsById: MarkAlertsById;
  MarkedAlerts: MarkedAlerts;
  MarkedAlertsResponse: MarkedAlertsResponse;
  MarketDeal: MarketDeal;
  MarketDealResponse: MarketDealResponse;
  MarketDealSummary: MarketDealSummary;
  MarketDealSummaryPage: MarketDealSummaryPage;
  MarketPerformance: MarketPerformance;
  MarketStatus: MarketStatus;
  MarketTranche: MarketTranche;
  MarketTranchePage: MarketTranchePage;
  Meeting: Meeting;
  Member: Member;
  MemberPage: MemberPage;
  MemberResponse: MemberResponse;
  MemberStatus: MemberStatus;
  MessageResponse: MessageResponse;
  Meta: Meta;
  MissingFigures: MissingFigures;
  MissingPolicy: MissingPolicy;
  MoveDeal: MoveDeal;
  MovedDeal: MovedDeal;
  MovedDealResponse: MovedDealResponse;
  NeededPeople: NeededPeople;
  NewApprovalPolicy: NewApprovalPolicy;
  NewBulkDeal: NewBulkDeal;
  NewBulkJob: NewBulkJob;
  NewCalculation: NewCalculation;
  NewCriteriaSet: NewCriteriaSet;
  NewFixing: NewFixing;
  NewKey: NewKey;
  NewMember: NewMember;
  NewOrder: NewOrder;
  NewPledge: NewPledge;
  NewPool: NewPool;
  NewPoolTape: NewPoolTape;
  NewPortfolioScenarios: NewPortfolioScenarios;
  NewRemittance: NewRemittance;
  NewSubscription: NewSubscription;
  NewWaiver: NewWaiver;
  NewWebhookSubscription: NewWebhookSubscription;
  NotificationAddress: NotificationAddress;
  NotificationDelivery: NotificationDelivery;
  NotificationDigest: NotificationDigest;
  NotificationError: NotificationError;
  NotificationPreferences: NotificationPreferences;
  NotificationPreferencesResponse: NotificationPreferencesResponse;
  Objective: Objective;
  Offering: Offering;
  OfferingEligibility: OfferingEligibility;
  OmissionReason: OmissionReason;
  OmittedFields: OmittedFields;
  OneOffFee: OneOffFee;
  OperatorAllocation: OperatorAllocation;
  OperatorAllocationPage: OperatorAllocationPage;
  OperatorAllocationResponse: OperatorAllocationResponse;
  OperatorAuditEntry: OperatorAuditEntry;
  OperatorAuditEntryPage: OperatorAuditEntryPage;
  OperatorAuditEntryResponse: OperatorAuditEntryResponse;
  OperatorDealSummary: OperatorDealSummary;
  OperatorDealSummaryPage: OperatorDealSummaryPage;
  OperatorDealSummaryResponse: OperatorDealSummaryResponse;
  OperatorDeliverySummary: OperatorDeliverySummary;
  OperatorDeliverySummaryPage: OperatorDeliverySummaryPage;
  OperatorDeliverySummaryResponse: OperatorDeliverySummaryResponse;
  OperatorFoundDeal: OperatorFoundDeal;
  OperatorFoundDeals: OperatorFoundDeals;
  OperatorFoundLoan: OperatorFoundLoan;
  OperatorFoundLoans: OperatorFoundLoans;
  OperatorFoundPool: OperatorFoundPool;
  OperatorFoundPools: OperatorFoundPools;
  OperatorIoi: OperatorIoi;
  OperatorIoiPage: OperatorIoiPage;
  OperatorIoiResponse: OperatorIoiResponse;
  OperatorLoanJob: OperatorLoanJob;
  OperatorLoanJobPage: OperatorLoanJobPage;
  OperatorLoanJobResponse: OperatorLoanJobResponse;
  OperatorOrder: OperatorOrder;
  OperatorOrderPage: OperatorOrderPage;
  OperatorOrderResponse: OperatorOrderResponse;
  OperatorPayment: OperatorPayment;
  OperatorPaymentPage: OperatorPaymentPage;
  OperatorPaymentResponse: OperatorPaymentResponse;
  OperatorPledge: OperatorPledge;
  OperatorPledgeConflict: OperatorPledgeConflict;
  OperatorPledgeConflictLoan: OperatorPledgeConflictLoan;
  OperatorPledgeConflictLoanPage: OperatorPledgeConflictLoanPage;
  OperatorPledgeConflictPage: OperatorPledgeConflictPage;
  OperatorPledgeConflictResponse: OperatorPledgeConflictResponse;
  OperatorPledgePage: OperatorPledgePage;
  OperatorPledgeResponse: OperatorPledgeResponse;
  OperatorPoolSummary: OperatorPoolSummary;
  OperatorPoolSummaryPage: OperatorPoolSummaryPage;
  OperatorPoolSummaryResponse: OperatorPoolSummaryResponse;
  OperatorProfileDocument: OperatorProfileDocument;
  OperatorProfileDocumentPage: OperatorProfileDocumentPage;
  OperatorProfileDocumentResponse: OperatorProfileDocumentResponse;
  OperatorRecordAccess: OperatorRecordAccess;
  OperatorRecordAccessPage: OperatorRecordAccessPage;
  OperatorRemittance: OperatorRemittance;
  OperatorRemittancePage: OperatorRemittancePage;
  OperatorRemittanceResponse: OperatorRemittanceResponse;
  OperatorSearchAnswer: OperatorSearchAnswer;
  OperatorSearchAnswerResponse: OperatorSearchAnswerResponse;
  OperatorSubscription: OperatorSubscription;
  OperatorSubscriptionPage: OperatorSubscriptionPage;
  OperatorSubscriptionResponse: OperatorSubscriptionResponse;
  OperatorTrade: OperatorTrade;
  OperatorTradePage: OperatorTradePage;
  OperatorTradeResponse: OperatorTradeResponse;
  Order: Order;
  OrderPage: OrderPage;
  OrderResponse: OrderResponse;
  OrderStatus: OrderStatus;
  OrderStatusChangedData: OrderStatusChangedData;
  OrderStatusChangedMessage: OrderStatusChangedMessage;
  Organization: Organization;
  OrganizationPage: OrganizationPage;
  OrganizationResponse: OrganizationResponse;
  OrganizationStatus: OrganizationStatus;
  OutcomeStatus: OutcomeStatus;
  Pagination: Pagination;
  Payment: Payment;
  PaymentHolder: PaymentHolder;
  PaymentMadeData: PaymentMadeData;
  PaymentMadeMessage: PaymentMadeMessage;
  PaymentPage: PaymentPage;
  PaymentRounding: PaymentRounding;
  PaymentTerms: PaymentTerms;
  PendingApproval: PendingApproval;
  PendingApprovalResponse: PendingApprovalResponse;
  PerformanceBasis: PerformanceBasis;
  PerformancePeriod: PerformancePeriod;
  PerformancePeriodListResponse: PerformancePeriodListResponse;
  PerformanceSource: PerformanceSource;
  PerformanceTie: PerformanceTie;
  PeriodRoll: PeriodRoll;
  PeriodTrace: PeriodTrace;
  PeriodTraceListResponse: PeriodTraceListResponse;
  PlannedBalance: PlannedBalance;
  Pledge: Pledge;
  PledgeConflict: PledgeConflict;
  PledgeConflictData: PledgeConflictData;
  PledgeConflictLoan: PledgeConflictLoan;
  PledgeConflictLoanPage: PledgeConflictLoanPage;
  PledgeConflictMessage: PledgeConflictMessage;
  PledgeConflictPage: PledgeConflictPage;
  PledgeConflictResponse: PledgeConflictResponse;
  PledgeConflictSide: PledgeConflictSide;
  PledgePage: PledgePage;
  PledgeResponse: PledgeResponse;
  PledgeStatus: PledgeStatus;
  PledgedLoan: PledgedLoan;
  Pool: Pool;
  PoolBook: PoolBook;
  PoolBookResponse: PoolBookResponse;
  PoolCurves: PoolCurves;
  PoolCurvesResponse: PoolCurvesResponse;
  PoolFactorOffData: PoolFactorOffData;
  PoolFactorOffMessage: PoolFactorOffMessage;
  PoolFilter: PoolFilter;
  PoolPerformance: PoolPerformance;
  PoolPeriod: PoolPeriod;
  PoolReporting: PoolReporting;
  PoolReportingResponse: PoolReportingResponse;
  PoolResponse: PoolResponse;
  PoolRollRate: PoolRollRate;
  PoolStatus: PoolStatus;
  PoolStructure: PoolStructure;
  PoolStructureResponse: PoolStructureResponse;
  PoolSummary: PoolSummary;
  PoolSummaryPage: PoolSummaryPage;
  PoolSummaryResponse: PoolSummaryResponse;
  PoolTape: PoolTape;
  PoolTapeDetail: PoolTapeDetail;
  PoolTapeDetailResponse: PoolTapeDetailResponse;
  PoolTapeListResponse: PoolTapeListResponse;
  PoolTapeResponse: PoolTapeResponse;
  PoolTapeState: PoolTapeState;
  PoolTerms: PoolTerms;
  PoolTest: PoolTest;
  PoolTestOffender: PoolTestOffender;
  PoolTestResult: PoolTestResult;
  PortfolioGroup: PortfolioGroup;
  PortfolioHistory: PortfolioHistory;
  PortfolioHistoryResponse: PortfolioHistoryResponse;
  PortfolioHistoryRow: PortfolioHistoryRow;
  PortfolioReports: PortfolioReports;
  PortfolioReportsResponse: PortfolioReportsResponse;
  PortfolioRunStatus: PortfolioRunStatus;
  PortfolioScenarioGroup: PortfolioScenarioGroup;
  PortfolioScenarioMonth: PortfolioScenarioMonth;
  PortfolioScenarioResult: PortfolioScenarioResult;
  PortfolioScenarios: PortfolioScenarios;
  PortfolioScenariosResponse: PortfolioScenariosResponse;
  PortfolioScenariosSummary: PortfolioScenariosSummary;
  PortfolioScenariosSummaryPage: PortfolioScenariosSummaryPage;
  PortfolioScenariosSummaryResponse: PortfolioScenariosSummaryResponse;
  PortfolioSummary: PortfolioSummary;
  PortfolioSummaryResponse: PortfolioSummaryResponse;
  Position: Position;
  PositionPage: PositionPage;
  PresentValueAdjustment: PresentValueAdjustment;
  PreviewCell: PreviewCell;
  PreviewField: PreviewField;
  PreviewFinding: PreviewFinding;
  PreviewOutcome: PreviewOutcome;
  PreviewRow: PreviewRow;
  PriceCell: PriceCell;
  PriceRow: PriceRow;
  PrincipalTarget: PrincipalTarget;
  ProfileDocument: ProfileDocument;
  ProfileDocumentAddress: ProfileDocumentAddress;
  ProfileDocumentAddressResponse: ProfileDocumentAddressResponse;
  ProfileDocumentResponse: ProfileDocumentResponse;
  ProfileDocumentStatus: ProfileDocumentStatus;
  ProjectedPeriod: ProjectedPeriod;
  PublishedMarks: PublishedMarks;
  PublishedMarksResponse: PublishedMarksResponse;
  QualityControl: QualityControl;
  QueuedBulkJob: QueuedBulkJob;
  QueuedBulkJobResponse: QueuedBulkJobResponse;
  QueuedRun: QueuedRun;
  QueuedRunResponse: QueuedRunResponse;
  RateLimit: RateLimit;
  Reason: Reason;
  RecordAccess: RecordAccess;
  RecordAccessPage: RecordAccessPage;
  RecordedFixing: RecordedFixing;
  RecoverDeliveries: RecoverDeliveries;
  RecoveredDeliveries: RecoveredDeliveries;
  RecoveredDeliveriesResponse: RecoveredDeliveriesResponse;
  RefreshTape: RefreshTape;
  RejectDeal: RejectDeal;
  RejectSubscription: RejectSubscription;
  Remittance: Remittance;
  RemittanceAppliedData: RemittanceAppliedData;
  RemittanceAppliedMessage: RemittanceAppliedMessage;
  RemittanceDetail: RemittanceDetail;
  RemittanceDetailResponse: RemittanceDetailResponse;
  RemittanceDiffersData: RemittanceDiffersData;
  RemittanceDiffersMessage: RemittanceDiffersMessage;
  RemittancePage: RemittancePage;
  RemittanceResponse: RemittanceResponse;
  RemittanceRestatedData: RemittanceRestatedData;
  RemittanceRestatedMessage: RemittanceRestatedMessage;
  RemittanceStatus: RemittanceStatus;
  RemittanceToVerify: RemittanceToVerify;
  RemittanceVersion: RemittanceVersion;
  ReportedAccount: ReportedAccount;
  ReportedCall: ReportedCall;
  ReportedCollateral: ReportedCollateral;
  ReportedFee: ReportedFee;
  ReportedStep: ReportedStep;
  ReportedTotals: ReportedTotals;
  ReportedTranche: ReportedTranche;
  ReportedTrigger: ReportedTrigger;
  Right: Right;
  RiskFactor: RiskFactor;
  RiskSettings: RiskSettings;
  RiskSigma: RiskSigma;
  Role: Role;
  RollRate: RollRate;
  RollRates: RollRates;
  RollState: RollState;
  RotateKey: RotateKey;
  RotateSecret: RotateSecret;
  RuleChange: RuleChange;
  RuleCount: RuleCount;
  RuleFailure: RuleFailure;
  RuleResult: RuleResult;
  RuleSeverity: RuleSeverity;
  RunComparison: RunComparison;
  RunComparisonResponse: RunComparisonResponse;
  RunCriteria: RunCriteria;
  RunStatus: RunStatus;
  SampleValue: SampleValue;
  SandboxClock: SandboxClock;
  SandboxClockResponse: SandboxClockResponse;
  SandboxDeal: SandboxDeal;
  SandboxOrganizations: SandboxOrganizations;
  ScCompletedData: ScCompletedData;
  ScCompletedMessage: ScCompletedMessage;
  Scenario: Scenario;
  ScenarioResult: ScenarioResult;
  Scope: Scope;
  SealReason: SealReason;
  SealedColumn: SealedColumn;
  SearchAnswer: SearchAnswer;
  SearchAnswerResponse: SearchAnswerResponse;
  SeedSandbox: SeedSandbox;
  SeededSandbox: SeededSandbox;
  SeededSandboxResponse: SeededSandboxResponse;
  SetDisclosure: SetDisclosure;
  Statement: Statement;
  StatementBalance: StatementBalance;
  StatementPayment: StatementPayment;
  StatementPosition: StatementPosition;
  StatementResponse: StatementResponse;
  StatementTotals: StatementTotals;
  StatementTrade: StatementTrade;
  StratFigures: StratFigures;
  StratGroup: StratGroup;
  StratSubgroup: StratSubgroup;
  Strats: Strats;
  StratsResponse: StratsResponse;
  Structure: Structure;
  StructureExplanation: StructureExplanation;
  StructureExplanationResponse: StructureExplanationResponse;
  StructureFinding: StructureFinding;
  StructureFindingCode: StructureFindingCode;
  StructureTemplate: StructureTemplate;
  StructureTemplateDetail: StructureTemplateDetail;
  StructureTemplateDetailResponse: StructureTemplateDetailResponse;
  StructureTemplates: StructureTemplates;
  StructureTemplatesResponse: StructureTemplatesResponse;
  StructuredPool: StructuredPool;
  StructuredPoolResponse: StructuredPoolResponse;
  Subscription: Subscription;
  SubscriptionCheck: SubscriptionCheck;
  SubscriptionCheckResponse: SubscriptionCheckResponse;
  SubscriptionPage: SubscriptionPage;
  SubscriptionResponse: SubscriptionResponse;
  SubscriptionStatus: SubscriptionStatus;
  SubscriptionStatusChangedData: SubscriptionStatusChangedData;
  SubscriptionStatusChangedMessage: SubscriptionStatusChangedMessage;
  TailLoss: TailLoss;
  TapeCheck: TapeCheck;
  TapeCheckResponse: TapeCheckResponse;
  TapeCheckedData: TapeCheckedData;
  TapeCheckedMessage: TapeCheckedMessage;
  TapeDiff: TapeDiff;
  TapeDiffResponse: TapeDiffResponse;
  TapeFormat: TapeFormat;
  TapeLateData: TapeLateData;
  TapeLateMessage: TapeLateMessage;
  TapeMode: TapeMode;
  TapeVersion: TapeVersion;
  TapeVersionListResponse: TapeVersionListResponse;
  TaxForm: TaxForm;
  TemplateGap: TemplateGap;
  TestWebhook: TestWebhook;
  TextReplacement: TextReplacement;
  ThresholdStep: ThresholdStep;
  TraceAccount: TraceAccount;
  TraceStep: TraceStep;
  TraceTest: TraceTest;
  TraceTrigger: TraceTrigger;
  Trade: Trade;
  TradeCancelledData: TradeCancelledData;
  TradeCancelledMessage: TradeCancelledMessage;
  TradeFailedData: TradeFailedData;
  TradeFailedMessage: TradeFailedMessage;
  TradePage: TradePage;
  TradeReason: TradeReason;
  TradeResponse: TradeResponse;
  TradeRetriedData: TradeRetriedData;
  TradeRetriedMessage: TradeRetriedMessage;
  TradeSettledData: TradeSettledData;
  TradeSettledMessage: TradeSettledMessage;
  TradeStatus: TradeStatus;
  TrancheAllocation: TrancheAllocation;
  TrancheBook: TrancheBook;
  TrancheDemand: TrancheDemand;
  TrancheLoss: TrancheLoss;
  TrancheMark: TrancheMark;
  TranchePerformance: TranchePerformance;
  TranchePeriod: TranchePeriod;
  TrancheResult: TrancheResult;
  TriggerMetric: TriggerMetric;
  TriggerNearData: TriggerNearData;
  TriggerNearMessage: TriggerNearMessage;
  TriggerOperator: TriggerOperator;
  TriggerState: TriggerState;
  TriggerStatus: TriggerStatus;
  TriggerTest: TriggerTest;
  TriggerTestStatus: TriggerTestStatus;
  UnavailableMeasure: UnavailableMeasure;
  UnfilledBid: UnfilledBid;
  UngroupedDeal: UngroupedDeal;
  UnreadAlerts: UnreadAlerts;
  UnreadAlertsResponse: UnreadAlertsResponse;
  Upload: Upload;
  UploadResponse: UploadResponse;
  UploadedFile: UploadedFile;
  UploadedFileResponse: UploadedFileResponse;
  VectorBasis: VectorBasis;
  Verification: Verification;
  VerificationFigure: VerificationFigure;
  VerificationLine: VerificationLine;
  VerificationStatus: VerificationStatus;
  VerifiedOpening: VerifiedOpening;
  VerifiedRemittance: VerifiedRemittance;
  VerifiedRemittanceResponse: VerifiedRemittanceResponse;
  VersionInForce: VersionInForce;
  Vintage: Vintage;
  VintageCurve: VintageCurve;
  VintagePeriod: VintagePeriod;
  VintageUnit: VintageUnit;
  Vintages: Vintages;
  VintagesResponse: VintagesResponse;
  WaitingVersion: WaitingVersion;
  Waiver: Waiver;
  WaiverDecidedData: WaiverDecidedData;
  WaiverDecidedMessage: WaiverDecidedMessage;
  WaiverPage: WaiverPage;
  WaiverResponse: WaiverResponse;
  WaiverStatus: WaiverStatus;
  WatchedDeal: WatchedDeal;
  WatchedDealPage: WatchedDealPage;
  WatchedDealResponse: WatchedDealResponse;
  WaterfallStep: WaterfallStep;
  WebhookSubscription: WebhookSubscription;
  WebhookSubscriptionPage: WebhookSubscriptionPage;
  WebhookSubscriptionResponse: WebhookSubscriptionResponse;
  WebhookSubscriptionWithSecret: WebhookSubscriptionWithSecret;
  WebhookSubscriptionWithSecretResponse: WebhookSubscriptionWithSecretResponse;
  WeightedAverage: WeightedAverage;
  WithdrawDeal: WithdrawDeal;
  WrongMetric: WrongMetric;
  WrongOperator: WrongOperator;
  YearlyLimit: YearlyLimit;
}
export interface Acceptance {
  /**
   * Why the figures are right although they differ.
   */
  reason: string;
}
/**
 * Income of a period, ACT/360 on the opening balance. Default: none.
 */
export interface AccountIncome {
  /**
   * What it earns. Percent a year.
   */
  rate?: number;
  /**
   * Index, in place of a rate.
   */
  index?: string;
  /**
   * Margin, basis points. Default 0.
   */
  margin_bp?: number;
}
export interface AdvanceClock {
  advance_seconds: number;
}
export interface AdvancePool {
  periods: number;
}
export interface AdvancedPeriod {
  period: number;
  /**
   * Calendar date, YYYY-MM-DD.
   */
  payment_date: string;
  /**
   * Pool after the period. In currency units, 2 decimals.
   */
  closing: number;
}
export interface AdvancedPool {
  /**
   * Identifier, `pool_…`.
   */
  pool_id: string;
  periods: AdvancedPeriod[];
  /**
   * The platform’s time.
   */
  now: string;
}
export interface AdvancedPoolResponse {
  success: true;
  data: AdvancedPool;
}
export interface Alert {
  /**
   * Identifier, `alt_…`.
   */
  id: string;
  /**
   * Dotted name of the event or the problem.
   */
  type: string;
  category: string;
  priority: AlertPriority;
  status: AlertStatus;
  title: string;
  message: string;
  /**
   * Instant, ISO 8601 UTC with milliseconds.
   */
  created_at: string;
  entity_type: string | null;
  entity_id: string | null;
  /**
   * Instant, ISO 8601 UTC with milliseconds.
   */
  read_at: string | null;
}
export interface AlertList {
  success: true;
  data: Alert[];
  meta: Meta;
}
export interface Meta {
  /**
   * Null with a cursor or an offset.
   */
  page: number | null;
  limit: number;
  /**
   * Null with a cursor, which costs the same at any depth.
   */
  total: number | null;
  /**
   * Null with a cursor.
   */
  totalPages: number | null;
  /**
   * Sent as `cursor` it gives the records behind this page; null where none follow.
   */
  next_cursor: string | null;
}
export interface AlertResponse {
  success: true;
  data: Alert;
}
export interface AllTriggers {
  /**
   * Triggers.
   *
   * @minItems 1
   * @maxItems 50
   *
   * Items: Name.
   */
  all_of: string[];
}
export interface AllocateDeal {
  method: AllocationMethod;
  dry_run?: boolean;
}
export interface Allocation {
  /**
   * Identifier, `all_…`.
   */
  allocation_id: string;
  /**
   * Identifier, `deal_…`.
   */
  deal_id: string;
  /**
   * Identifier, `trn_…`.
   */
  tranche_id: string;
  /**
   * Identifier, `ord_…`.
   */
  order_id: string | null;
  /**
   * Identifier, `sub_…`.
   */
  subscription_id: string | null;
  /**
   * Requested amount. In currency units, 2 decimals.
   */
  requested_amount: number;
  /**
   * Allocated amount. In currency units, 2 decimals.
   */
  allocated_amount: number;
  /**
   * Allocated over requested amount, from 0 to 1.
   */
  fill_ratio: number;
  /**
   * Percent a year.
   */
  yield: number | null;
  /**
   * Clean, per 100 of current balance, fixed when the allocation is issued: the price of the trade.
   */
  price: number | null;
  method: AllocationMethod;
  /**
   * Why the fill has this amount.
   */
  reason: string;
  status: AllocationStatus;
  /**
   * Accept or decline before.
   */
  expires_at: string;
  /**
   * Identifier, `trd_…`.
   */
  trade_id: string | null;
  /**
   * Instant, ISO 8601 UTC with milliseconds.
   */
  created_at: string;
  /**
   * Instant, ISO 8601 UTC with milliseconds.
   */
  decided_at: string | null;
}
export interface AllocationEventData {
  allocation_id: string;
  deal_id: string;
  tranche_id: string;
  requested_amount: number;
  allocated_amount: number;
  yield: number | null;
  price: number | null;
  status: string;
  expires_at: string;
}
export interface AllocationExpiringMessage {
  event: 'allocation.expiring';
  /**
   * Time of the event; messages may arrive out of order.
   */
  timestamp: string;
  data: AllocationEventData;
}
export interface AllocationFill {
  /**
   * Identifier, `all_…`.
   */
  allocation_id: string | null;
  /**
   * Identifier, `org_…`.
   */
  organization_id: string;
  /**
   * Identifier, `trn_…`.
   */
  tranche_id: string;
  /**
   * Identifier, `ord_…`.
   */
  order_id: string | null;
  /**
   * Identifier, `sub_…`.
   */
  subscription_id: string | null;
  /**
   * Requested amount. In currency units, 2 decimals.
   */
  requested_amount: number;
  /**
   * Allocated amount. In currency units, 2 decimals.
   */
  allocated_amount: number;
  fill_ratio: number;
  /**
   * Percent a year.
   */
  yield: number | null;
  /**
   * Clean, per 100 of current balance, fixed when the allocation is issued: the price of the trade.
   */
  price: number | null;
  method: AllocationMethod;
  reason: string;
  /**
   * Null in a dry run.
   */
  status: AllocationStatus | null;
  /**
   * Instant, ISO 8601 UTC with milliseconds.
   */
  expires_at: string | null;
}
export interface AllocationIssuedMessage {
  event: 'allocation.issued';
  /**
   * Time of the event; messages may arrive out of order.
   */
  timestamp: string;
  data: AllocationEventData;
}
export interface AllocationPage {
  success: true;
  data: Allocation[];
  pagination: Pagination;
}
export interface Pagination {
  /**
   * Null with a cursor or an offset.
   */
  page: number | null;
  limit: number;
  /**
   * Null with a cursor, which costs the same at any depth.
   */
  total: number | null;
  /**
   * Null with a cursor.
   */
  totalPages: number | null;
  hasNextPage: boolean;
  /**
   * True with a cursor: the record that it was made from comes before it.
   */
  hasPrevPage: boolean;
  /**
   * Sent as `cursor` it gives the records behind this page; null where none follow.
   */
  next_cursor: string | null;
}
export interface AllocationProof {
  /**
   * Identifier, `all_…`.
   */
  allocation_id: string;
  /**
   * The rule in words.
   */
  rule: string;
  /**
   * The offering, or returned face that was offered again.
   */
  kind: 'OFFERING' | 'REOFFER';
  method: AllocationMethod;
  /**
   * Face on offer in the round. In currency units, 2 decimals.
   */
  size: number;
  /**
   * Step of the fills. In currency units, 2 decimals.
   */
  increment: number;
  /**
   * Percent a year.
   */
  market_yield: number | null;
  /**
   * Percent a year.
   */
  yield: number | null;
  /**
   * Clean, per 100 of current balance, fixed when the allocation is issued: the price of the trade.
   */
  price: number | null;
  /**
   * Sum of the bids. In currency units, 2 decimals.
   */
  demand: number;
  book: BookEntry[];
  /**
   * sha-256 of {method, size, increment, market_yield, book} as JSON without spaces, keys in this order; the same for every investor.
   */
  book_hash: string;
  /**
   * Your place in the book.
   */
  own_entry: number;
  /**
   * Your fill when the rule is run again over this book. In currency units, 2 decimals.
   */
  recomputed_amount: number;
  /**
   * Your fill as allocated. In currency units, 2 decimals.
   */
  allocated_amount: number;
  agrees: boolean;
}
export interface BookEntry {
  /**
   * Place in the book, from 1: the earlier one comes first where bids tie.
   */
  entry: number;
  /**
   * Amount of the bid. In currency units, 2 decimals.
   */
  amount: number;
  /**
   * Least fill. In currency units, 2 decimals.
   */
  minimum_amount: number;
  /**
   * Percent a year.
   */
  limit_yield: number | null;
}
export interface AllocationProofResponse {
  success: true;
  data: AllocationProof;
}
export interface AllocationResponse {
  success: true;
  data: Allocation;
}
export interface AllocationStatusChangedMessage {
  event: 'allocation.status_changed';
  /**
   * Time of the event; messages may arrive out of order.
   */
  timestamp: string;
  data: AllocationEventData;
}
/**
 * One form of an amount: {percent, of, of_tranches, floor}; {max_of}; {min_of}; {sum_of}; {minus}; {if, then, else}; of a percentage also {share_of, shift}; of principal also {target, percent, of, floor, amount, of_tranches} and {schedule}. Amounts stand in each other at most four deep.
 */
export interface AmountForm {
  /**
   * Percentage of `of`. An amount.
   */
  percent?: {
    [k: string]: unknown;
  };
  /**
   * Base of the percentage: POOL_ORIGINAL, POOL_BEGINNING, POOL_CURRENT, NOTES_ORIGINAL, NOTES, POOL_ADJUSTED, POOL_ADJUSTED_ORIGINAL, COLLECTIONS, SCHEDULED, PREPAID, LIQUIDATED, RECOVERED, LOSS, WRITTEN_DOWN, ACCRETED, ACCRUED_TO_CAPITALISE, INTEREST_DUE, FEES_DUE, DELINQUENT_30, DELINQUENT_60, DELINQUENT_90, or ACCOUNT: and the name of an account.
   */
  of?: string;
  /**
   * Tranches whose balances count, by name; a last `*` stands for any ending.
   *
   * @minItems 1
   * @maxItems 50
   */
  of_tranches?: string[];
  /**
   * At least this much. An amount.
   */
  floor?: {
    [k: string]: unknown;
  };
  /**
   * The largest of them. Amounts.
   *
   * @minItems 1
   * @maxItems 20
   */
  max_of?: unknown[];
  /**
   * The smallest of them. Amounts.
   *
   * @minItems 1
   * @maxItems 20
   */
  min_of?: unknown[];
  /**
   * Their sum. Amounts.
   *
   * @minItems 1
   * @maxItems 20
   */
  sum_of?: unknown[];
  /**
   * The first less the others, at least 0. Amounts.
   *
   * @minItems 1
   * @maxItems 20
   */
  minus?: unknown[];
  /**
   * Trigger: `then` while it is on, else `else`.
   */
  if?: string;
  /**
   * While the trigger is on. An amount.
   */
  then?: {
    [k: string]: unknown;
  };
  /**
   * While it is off. An amount.
   */
  else?: {
    [k: string]: unknown;
  };
  /**
   * Of a percentage: the share of these tranches in the pool, before the payment.
   *
   * @minItems 1
   * @maxItems 50
   */
  share_of?: string[];
  /**
   * Percentage of the other share that is added to it. An amount.
   */
  shift?: {
    [k: string]: unknown;
  };
  target?: PrincipalTarget;
  /**
   * Of a target: its size. An amount.
   */
  amount?: {
    [k: string]: unknown;
  };
  /**
   * Of principal: planned closing balances by payment period; one holds until the next is given.
   *
   * @minItems 1
   * @maxItems 1200
   */
  schedule?: PlannedBalance[];
}
export interface PlannedBalance {
  /**
   * Payment period.
   */
  period: number;
  /**
   * Planned closing balance.
   */
  balance: number;
}
export interface AmountPoint {
  /**
   * First payment period of the value; 0 is the closing.
   */
  from_period?: number;
  /**
   * In place of `from_period`: the first payment date or accrual date of the value.
   */
  from_date?: string;
  /**
   * Value from here to the next point.
   */
  value: number;
}
export interface AnyTrigger {
  /**
   * Triggers.
   *
   * @minItems 1
   * @maxItems 50
   *
   * Items: Name.
   */
  any_of: string[];
}
export interface ApiKey {
  /**
   * Identifier, `key_…`.
   */
  key_id: string;
  /**
   * Identifier, `org_…`.
   */
  organization_id: string;
  organization: string;
  role: Role;
  environment: Environment;
  requester: string;
  use_case: string;
  status: KeyStatus;
  /**
   * Instant, ISO 8601 UTC with milliseconds.
   */
  created_at: string;
  /**
   * Instant, ISO 8601 UTC with milliseconds.
   */
  expires_at: string;
  /**
   * Instant, ISO 8601 UTC with milliseconds.
   */
  revoked_at: string | null;
  rotated_from: string | null;
  /**
   * What the key is called.
   */
  label: string | null;
  /**
   * Its last request, to within a minute.
   */
  last_used_at: string | null;
  scopes: string[] | null;
  networks: string[] | null;
  /**
   * When its organization asked for another key in its place.
   */
  rotation_requested_at: string | null;
  rotation_reason: string | null;
  /**
   * Version of the API in which its requests are answered, unless they name another: that of its first call; null before it.
   */
  api_version: string | null;
}
export interface ApiKeyPage {
  success: true;
  data: ApiKey[];
  pagination: Pagination;
}
export interface ApiKeyResponse {
  success: true;
  data: ApiKey;
}
export interface Approval {
  /**
   * Identifier, `apr_…`.
   */
  approval_id: string;
  act: ApprovalAct;
  /**
   * The act in words.
   */
  summary: string;
  /**
   * The record that the act is about.
   */
  entity_id: string | null;
  status: ApprovalStatus;
  needed: number;
  /**
   * People who asked for it or approved it, and are still members with the right; a key is none.
   */
  given: number;
  requested_by: {
    /**
     * The key; null where a person acted.
     */
    key_id: string | null;
    /**
     * The member of the organization who was signed in; null where a key acted.
     */
    member_id: string | null;
    /**
     * Identifier, `org_…`.
     */
    organization_id: string;
    name: string | null;
  };
  /**
   * What was asked for, as it will be done.
   */
  request: {
    operation: string;
    params: {
      /**
       * This interface was referenced by `undefined`'s JSON-Schema definition
       * via the `patternProperty` "^.*$".
       */
      [k: string]: string;
    };
    body: unknown;
  };
  decisions: ApprovalDecision[];
  /**
   * Instant, ISO 8601 UTC with milliseconds.
   */
  created_at: string;
  /**
   * Instant, ISO 8601 UTC with milliseconds.
   */
  expires_at: string;
  /**
   * Instant, ISO 8601 UTC with milliseconds.
   */
  ended_at: string | null;
  /**
   * The response of the act, without secrets; null unless DONE.
   */
  result: {
    [k: string]: unknown;
  };
  failure: ApprovalFailure | null;
}
export interface ApprovalDecision {
  /**
   * Identifier, `mem_…`.
   */
  member_id: string;
  name: string;
  decision: 'APPROVED' | 'DENIED';
  reason: string | null;
  /**
   * Instant, ISO 8601 UTC with milliseconds.
   */
  at: string;
}
export interface ApprovalFailure {
  code: string;
  message: string;
}
export interface ApprovalPage {
  success: true;
  data: Approval[];
  pagination: Pagination;
}
export interface ApprovalPolicy {
  acts: NeededPeople;
  /**
   * What should be otherwise: acts that one alone can do in Production, and acts for which there are too few people.
   */
  advice: string[];
}
export interface NeededPeople {
  /**
   * People whom the act needs.
   */
  DEAL_APPROVE: number;
  /**
   * People whom the act needs.
   */
  DEAL_REJECT: number;
  /**
   * People whom the act needs.
   */
  POOL_ISSUE: number;
  /**
   * People whom the act needs.
   */
  ALLOCATE: number;
  /**
   * People whom the act needs.
   */
  SETTLE: number;
  /**
   * People whom the act needs.
   */
  MARK_PUBLISH: number;
  /**
   * People whom the act needs.
   */
  PROFILE_SET: number;
  /**
   * People whom the act needs.
   */
  WAIVER: number;
  /**
   * People whom the act needs.
   */
  KEY_ISSUE: number;
  /**
   * People whom the act needs.
   */
  REMITTANCE_ACCEPT: number;
  /**
   * People whom the act needs.
   */
  POLICY_SET: number;
  /**
   * People whom the act needs.
   */
  MEMBER_SET: number;
}
export interface ApprovalPolicyResponse {
  success: true;
  data: ApprovalPolicy;
}
export interface ApprovalResponse {
  success: true;
  data: Approval;
}
export interface ApprovedToken {
  /**
   * Identifier, `key_…`.
   */
  key_id: string;
  /**
   * The API key. Only this response shows it.
   */
  token?: string;
  secret_omitted?: boolean;
}
export interface ApprovedTokenResponse {
  success: true;
  data: ApprovedToken;
}
export interface AssetLiabilityProjection {
  /**
   * Identifier, `calc_…`.
   */
  calculation_id: string;
  scenario: string;
  /**
   * As-of date.
   */
  as_of: string;
  engine_version: string;
  tape_versions: {
    /**
     * This interface was referenced by `undefined`'s JSON-Schema definition
     * via the `patternProperty` "^.*$".
     */
    [k: string]: number;
  };
  /**
   * Assumptions of the scenario after defaults.
   */
  assumptions: {
    [k: string]: unknown;
  };
  /**
   * Years.
   */
  collateral_wal: number | null;
  /**
   * Years.
   */
  notes_wal: number | null;
  /**
   * WAL of the collateral less that of the notes, years.
   */
  wal_mismatch: number | null;
  rows: AssetLiabilityRow[];
}
export interface AssetLiabilityRow {
  period: number;
  /**
   * Payment date.
   */
  date: string;
  /**
   * Performing balance after the period. In currency units, 2 decimals.
   */
  collateral_balance: number;
  collateral_principal: number;
  collateral_interest: number;
  collateral_loss: number;
  fees: number;
  /**
   * Notes after the payment. In currency units, 2 decimals.
   */
  note_balance: number;
  note_interest: number;
  note_principal: number;
  residual: number;
  reserve_balance: number;
  /**
   * Interest less fees, note interest and loss, percent a year of the pool.
   */
  excess_spread: number | null;
  /**
   * Pool less notes. In currency units, 2 decimals.
   */
  over_collateralization: number;
  /**
   * Percent of the pool.
   */
  oc: number | null;
}
export interface AssetLiabilityProjectionResponse {
  success: true;
  data: AssetLiabilityProjection;
}
/**
 * What differs for the loans of the segment; a measure replaces its whole group, other fields are those of the request.
 */
export interface AssumptionSegment {
  where: Loan;
  /**
   * Prepayment, percent a year of the balance. A number, or values by month whose last persists.
   */
  cpr?: number | number[];
  /**
   * Prepayment, percent of the PSA curve (100 is the curve). A number, or values by month whose last persists.
   */
  psa?: number | number[];
  /**
   * Prepayment, percent of the original number of loans a month. A number, or values by month whose last persists.
   */
  abs?: number | number[];
  /**
   * Prepayment, percent a month of the balance. A number, or values by month whose last persists.
   */
  smm?: number | number[];
  /**
   * Default, percent a year of the balance. A number, or values by month whose last persists.
   */
  cdr?: number | number[];
  /**
   * Default, percent of the SDA curve (100 is the curve). A number, or values by month whose last persists.
   */
  sda?: number | number[];
  /**
   * Default, percent a month of the balance. A number, or values by month whose last persists.
   */
  mdr?: number | number[];
  /**
   * Loss, percent of the defaulted balance. A number, or values by month whose last persists.
   */
  severity?: number | number[];
  by?: VectorBasis;
  /**
   * Multiplies the default measure (charge_off of cards). A monthly rate never exceeds 1: a warning says where it was capped. Default 1.
   */
  multiple?: number;
  /**
   * Months from default to liquidation.
   */
  recovery_lag_months?: number;
  late_defaults?: LateDefaults;
  deferment_interest?: DefermentInterest;
  /**
   * The servicer pays the schedule of defaulted balance until liquidation.
   */
  servicer_advances?: boolean;
  /**
   * Credit cards: principal paid, percent a month of the balance. A number, or values by month whose last persists.
   */
  payment_rate?: number | number[];
  /**
   * Credit cards: finance charges and fees, percent a year of the balance. A number, or values by month whose last persists.
   */
  portfolio_yield?: number | number[];
  /**
   * Credit cards: balance charged off, percent a year. A number, or values by month whose last persists.
   */
  charge_off?: number | number[];
}
/**
 * A condition of the rule language of selection criteria.
 */
export interface Loan {
  [k: string]: unknown;
}
/**
 * Collateral assumptions: at most one of cpr, psa, abs, smm and one of cdr, sda, mdr; none is 0.
 */
export interface Assumptions {
  /**
   * Prepayment, percent a year of the balance. A number, or values by month whose last persists.
   */
  cpr?: number | number[];
  /**
   * Prepayment, percent of the PSA curve (100 is the curve). A number, or values by month whose last persists.
   */
  psa?: number | number[];
  /**
   * Prepayment, percent of the original number of loans a month. A number, or values by month whose last persists.
   */
  abs?: number | number[];
  /**
   * Prepayment, percent a month of the balance. A number, or values by month whose last persists.
   */
  smm?: number | number[];
  /**
   * Default, percent a year of the balance. A number, or values by month whose last persists.
   */
  cdr?: number | number[];
  /**
   * Default, percent of the SDA curve (100 is the curve). A number, or values by month whose last persists.
   */
  sda?: number | number[];
  /**
   * Default, percent a month of the balance. A number, or values by month whose last persists.
   */
  mdr?: number | number[];
  /**
   * Loss, percent of the defaulted balance. A number, or values by month whose last persists.
   */
  severity?: number | number[];
  by?: VectorBasis;
  /**
   * Multiplies the default measure (charge_off of cards). A monthly rate never exceeds 1: a warning says where it was capped. Default 1.
   */
  multiple?: number;
  /**
   * Months from default to liquidation.
   */
  recovery_lag_months?: number;
  late_defaults?: LateDefaults;
  deferment_interest?: DefermentInterest;
  /**
   * The servicer pays the schedule of defaulted balance until liquidation.
   */
  servicer_advances?: boolean;
  /**
   * Credit cards: principal paid, percent a month of the balance. A number, or values by month whose last persists.
   */
  payment_rate?: number | number[];
  /**
   * Credit cards: finance charges and fees, percent a year of the balance. A number, or values by month whose last persists.
   */
  portfolio_yield?: number | number[];
  /**
   * Credit cards: balance charged off, percent a year. A number, or values by month whose last persists.
   */
  charge_off?: number | number[];
  cnl?: CumulativeNetLoss;
  /**
   * Parts of the pool with assumptions of their own. A loan is in the first segment whose condition it meets; if a condition before that cannot be decided, or it meets none, it is in none and has those of the request. A list in a scenario replaces that of the request, an empty one removes it.
   *
   * @maxItems 20
   */
  segments?: AssumptionSegment[];
  /**
   * 30 or more days delinquent, percent of the pool by projected month. A number, or values by month whose last persists.
   */
  delinquency_30?: number | number[];
  /**
   * 60 or more days delinquent, percent of the pool; read by triggers. A number, or values by month whose last persists.
   */
  delinquency?: number | number[];
  /**
   * 90 or more days delinquent, percent of the pool by projected month. A number, or values by month whose last persists.
   */
  delinquency_90?: number | number[];
  /**
   * Fees whose amount only a certificate says, by name of the fee: the amount of a payment period, or amounts by period whose last persists. Currency units.
   */
  billed_fees?: {
    /**
     * This interface was referenced by `undefined`'s JSON-Schema definition
     * via the `patternProperty` "^.*$".
     */
    [k: string]: number | number[];
  };
}
/**
 * In place of a default measure: cumulative net loss of the pool. Defaults are solved month by month, by severity and recovery lag, so that each month books the loss of the curve. Not with segments.
 */
export interface CumulativeNetLoss {
  /**
   * Lifetime net loss, percent of the pool's original balance; `multiple` multiplies it.
   */
  percent: number;
  /**
   * When the loss is booked.
   */
  timing:
    | number[]
    | {
        /**
         * Percent of the loss by month of age of the deal; 100 in sum.
         *
         * @minItems 1
         * @maxItems 1200
         */
        by_month: number[];
      };
}
export interface AuditCheckpoints {
  /**
   * Whether the checkpoints of the object store could be read.
   */
  store: 'read' | 'unavailable';
  /**
   * Signed heads of the log, made every 100 entries or 5 minutes by a worker.
   */
  count: number;
  /**
   * The last entry under a signature; entries after it are protected by the chain alone.
   */
  last_sequence: number;
  /**
   * Instant, ISO 8601 UTC with milliseconds.
   */
  last_at: string | null;
}
export interface AuditEntry {
  /**
   * Identifier, `aud_…`.
   */
  id: string;
  /**
   * Who acted: a key or a member, yours or the operator’s, or a part of the platform.
   */
  actor: string;
  /**
   * The name of the member, or the label or requester of the key; null for a part of the platform, and for who acts for another organization than yours.
   */
  actor_name: string | null;
  action: string;
  entity_type: string;
  entity_id: string;
  before: unknown;
  after: unknown;
  reason: string | null;
  /**
   * Instant, ISO 8601 UTC with milliseconds.
   */
  at: string;
  /**
   * sha-256 over the entry and the hash of the one before it in the log of the platform.
   */
  hash: string;
}
export interface AuditEntryPage {
  success: true;
  data: AuditEntry[];
  pagination: Pagination;
}
export interface AuditProblem {
  code:
    | 'ENTRY_MISSING'
    | 'ENTRY_CHANGED'
    | 'HEAD_DIFFERS'
    | 'TAIL_CUT'
    | 'TAIL_REWRITTEN'
    | 'CHECKPOINT_INVALID'
    | 'CHECKPOINT_MISSING';
  sequence: number;
  seen: string;
  expected: string;
  message: string;
}
export interface AuditVerification {
  /**
   * Null: the log is consistent in the database, but the checkpoints of the object store could not be read, so a removed end cannot be ruled out.
   */
  valid: boolean | null;
  /**
   * Entries that follow from one another, from the first.
   */
  entries: number;
  /**
   * Sequence of the first problem.
   */
  broken_at: number | null;
  problems: AuditProblem[];
  /**
   * Of the public key that checks the signatures; compare it with that of an export.
   */
  public_key_sha256: string;
  checkpoints: AuditCheckpoints;
}
export interface AuditVerificationResponse {
  success: true;
  data: AuditVerification;
}
/**
 * Cash of the payment date. With it the waterfall is run again, and every figure compared.
 */
export interface AvailableFunds {
  /**
   * Interest collected. Currency units.
   */
  interest: number;
  /**
   * Principal collected. Currency units.
   */
  principal: number;
  /**
   * Recoveries. Default 0. Currency units.
   */
  recoveries?: number;
  /**
   * Purchase amounts of loans bought back. Default 0. Currency units.
   */
  repurchases?: number;
  /**
   * Income of accounts that joins the collections. Default 0. Currency units.
   */
  income?: number;
  /**
   * Other collections. Default 0. Currency units.
   */
  other?: number;
  /**
   * Their sum. Currency units.
   */
  total?: number;
}
export interface BulkCompletedData {
  job_id: string;
  status: string;
  total: number;
  failed: number;
}
export interface BulkCompletedMessage {
  event: 'bulk.completed';
  /**
   * Time of the event; messages may arrive out of order.
   */
  timestamp: string;
  data: BulkCompletedData;
}
export interface BulkDeal {
  /**
   * Identifier, `deal_…`.
   */
  id: string;
  /**
   * Identifier, `deal_…`.
   */
  deal_id: string;
  status: string;
}
export interface BulkJob {
  /**
   * Identifier, `job_…`.
   */
  job_id: string;
  status: JobStatus;
  deals: BulkDeal[];
  total: number;
  processed: number;
  failed: number;
  errors: BulkProblem[];
  /**
   * Instant, ISO 8601 UTC with milliseconds.
   */
  created_at: string;
  /**
   * Instant, ISO 8601 UTC with milliseconds.
   */
  completed_at: string | null;
}
export interface BulkProblem {
  /**
   * Position in `deals` of the submission, from 0.
   */
  index: number;
  /**
   * The file that could not be read; null for inline loans.
   */
  file_name: string | null;
  code: string;
  message: string;
}
export interface BulkJobResponse {
  success: true;
  data: BulkJob;
}
export interface Calculation {
  /**
   * Identifier, `calc_…`.
   */
  calculation_id: string;
  /**
   * Identifier, `pool_…`.
   */
  pool_id: string;
  type: CalculationType;
  purpose: CalculationPurpose;
  status: CalculationStatus;
  /**
   * As-of date.
   */
  as_of: string;
  /**
   * Where the calculation starts: from the state after a payment, with the loans of the closing tape rolled by their schedules and scaled to the reported pool balance, or from the closing date. Default: LATEST where `as_of` is given on or after the last applied payment date and no `settlement_date` before it, else CUT_OFF. Payment periods keep their numbers; vectors and curves count from the first projected month.
   */
  from: CalculationStart | number;
  opening: CalculationOpening | null;
  granularity: CalculationGranularity;
  /**
   * Version of the structure that it runs over.
   */
  structure_version: number;
  /**
   * Deal → version of its tape.
   */
  tape_versions: {
    /**
     * This interface was referenced by `undefined`'s JSON-Schema definition
     * via the `patternProperty` "^.*$".
     */
    [k: string]: number;
  };
  /**
   * Why it FAILED.
   */
  error: string | null;
  /**
   * Stable code of the failure.
   */
  error_code: string | null;
  /**
   * Instant, ISO 8601 UTC with milliseconds.
   */
  created_at: string;
  /**
   * Instant, ISO 8601 UTC with milliseconds.
   */
  completed_at: string | null;
  /**
   * Version of the engine; null before it has run.
   */
  engine_version: string | null;
  /**
   * Calendar date, YYYY-MM-DD.
   */
  settlement_date: string | null;
  /**
   * Calendar date, YYYY-MM-DD.
   */
  cut_off_date: string | null;
  assumptions: Assumptions | null;
  results: ScenarioResult[] | null;
  /**
   * Of a PRICE_TABLE, in the order of its prices or yields.
   */
  rows?: PriceRow[];
  /**
   * Assumptions that were made, and columns that were not read.
   */
  warnings: string[];
}
export interface CalculationOpening {
  /**
   * The payment after which it starts.
   */
  period: number;
  /**
   * Of its report.
   */
  payment_date: string;
  /**
   * Pool after it, as reported. In currency units, 2 decimals.
   */
  pool_balance: number;
}
export interface ScenarioResult {
  scenario: string;
  assumptions: Assumptions;
  /**
   * Payment period in which the pool is called.
   */
  called_period: number | null;
  collateral: CollateralResult;
  tranches: TrancheResult[];
  risk?: LossDistribution;
}
export interface CollateralResult {
  /**
   * Principal only, from settlement. Years.
   */
  wal: number | null;
  /**
   * Principal and recoveries. In currency units, 2 decimals.
   */
  principal: number;
  /**
   * Interest collected. In currency units, 2 decimals.
   */
  interest: number;
  /**
   * Loss booked. In currency units, 2 decimals.
   */
  loss: number;
  /**
   * Last with at least a cent of principal.
   */
  last_period: number | null;
}
export interface TrancheResult {
  tranche: string;
  class: string;
  /**
   * Principal only, from settlement. Years.
   */
  wal: number | null;
  /**
   * First with principal.
   */
  first_period: number | null;
  /**
   * Last with principal.
   */
  last_period: number | null;
  /**
   * Principal paid. In currency units, 2 decimals.
   */
  principal: number;
  /**
   * Interest paid. In currency units, 2 decimals.
   */
  interest: number;
  /**
   * Written off, or unpaid at the end. In currency units, 2 decimals.
   */
  write_down: number;
  /**
   * Clean, per 100 of current balance.
   */
  price: number | null;
  /**
   * Percent, on the requested basis.
   */
  yield: number | null;
  /**
   * Macaulay / (1 + y/2), or / (1 + y/12) for a monthly yield. Years.
   */
  modified_duration: number | null;
  /**
   * (1/P) d²P/dy².
   */
  convexity: number | null;
  /**
   * Yield as quoted less the benchmark at the WAL, basis points.
   */
  spread_bp: number | null;
  /**
   * Floaters: constant over the projected index at which the cash flows are worth the price, basis points.
   */
  discount_margin_bp?: number | null;
  /**
   * Constant over the zero rates of `benchmark_curve` at which the cash flows are worth the price, basis points.
   */
  z_spread_bp?: number | null;
  /**
   * (P− − P+) / (2·P·dy) under parallel shifts of all curves by 25 basis points, floating rates following them. Years.
   */
  effective_duration?: number | null;
  /**
   * (P− + P+ − 2P) / (P·dy²), under the same shifts.
   */
  effective_convexity?: number | null;
  /**
   * Why measures of this tranche are null: an entry for each.
   */
  unavailable?: UnavailableMeasure[];
  /**
   * Highest constant CDR up to which no scanned CDR loses, percent; null if the tranche loses without defaults.
   */
  break_even_cdr?: number | null;
  /**
   * The CDR a hundredth above, which loses; null if none up to 100 does.
   */
  first_loss_cdr?: number | null;
  /**
   * Highest constant CDR that leaves the tranche whole, even if a lower one does not, percent.
   */
  highest_safe_cdr?: number | null;
  /**
   * Whether every scanned CDR above the first that loses does too.
   */
  monotone?: boolean | null;
}
export interface UnavailableMeasure {
  /**
   * The measure that is null.
   */
  field: 'discount_margin_bp' | 'z_spread_bp' | 'effective_duration' | 'effective_convexity';
  /**
   * Stable code of the reason.
   */
  code: 'RESIDUAL' | 'NO_BALANCE' | 'NOT_FLOATING' | 'NO_CURVE' | 'CURVE_UNUSABLE' | 'NO_SOLUTION';
  /**
   * The reason.
   */
  message: string;
}
export interface LossDistribution {
  /**
   * Name of the random generator.
   */
  generator: string;
  seed: number;
  paths: number;
  factors: RiskFactor[];
  correlation: number[][];
  /**
   * Loss of the pool, percent of its opening balance.
   */
  collateral: {
    mean: number;
    standard_deviation: number;
    minimum: number;
    maximum: number;
    tail: TailLoss[];
  };
  tranches: TrancheLoss[];
}
export interface RiskFactor {
  factor: string;
  sigma: number;
}
export interface TailLoss {
  /**
   * Fraction.
   */
  confidence: number;
  /**
   * Lower empirical quantile, percent.
   */
  value_at_risk: number;
  /**
   * Mean at or beyond it, percent.
   */
  expected_shortfall: number;
}
export interface TrancheLoss {
  tranche: string;
  /**
   * Percent of paths.
   */
  probability_of_loss: number;
  mean: number;
  standard_deviation: number;
  minimum: number;
  maximum: number;
  tail: TailLoss[];
}
export interface PriceRow {
  /**
   * The price asked, clean per 100; null where a yield was.
   */
  price: number | null;
  /**
   * The yield asked, percent; null where a price was.
   */
  yield: number | null;
  cells: PriceCell[];
}
export interface PriceCell {
  scenario: string;
  /**
   * Clean, per 100 of current balance.
   */
  price: number | null;
  /**
   * Percent, on the requested basis.
   */
  yield: number | null;
  /**
   * Yield as quoted less the benchmark at the WAL, basis points.
   */
  spread_bp: number | null;
  /**
   * Of floaters, basis points.
   */
  discount_margin_bp: number | null;
  /**
   * Macaulay / (1 + y/2), or / (1 + y/12) for a monthly yield. Years.
   */
  modified_duration: number | null;
  /**
   * Principal only, from settlement. Years.
   */
  wal: number | null;
  /**
   * First with principal.
   */
  first_period: number | null;
  /**
   * Last with principal.
   */
  last_period: number | null;
}
export interface CalculationCompletedData {
  calculation_id: string;
  /**
   * The pool of an originator’s calculation.
   */
  pool_id?: string;
  /**
   * The deal of an investor’s calculation; neither for one of its book.
   */
  deal_id?: string;
  type: string;
  status: string;
}
export interface CalculationCompletedMessage {
  event: 'calculation.completed';
  /**
   * Time of the event; messages may arrive out of order.
   */
  timestamp: string;
  data: CalculationCompletedData;
}
export interface CalculationResponse {
  success: true;
  data: Calculation;
}
export interface CalculationSummary {
  /**
   * Identifier, `calc_…`.
   */
  calculation_id: string;
  /**
   * Identifier, `pool_…`.
   */
  pool_id: string;
  type: CalculationType;
  purpose: CalculationPurpose;
  status: CalculationStatus;
  /**
   * As-of date.
   */
  as_of: string;
  /**
   * Where the calculation starts: from the state after a payment, with the loans of the closing tape rolled by their schedules and scaled to the reported pool balance, or from the closing date. Default: LATEST where `as_of` is given on or after the last applied payment date and no `settlement_date` before it, else CUT_OFF. Payment periods keep their numbers; vectors and curves count from the first projected month.
   */
  from: CalculationStart | number;
  opening: CalculationOpening | null;
  granularity: CalculationGranularity;
  /**
   * Version of the structure that it runs over.
   */
  structure_version: number;
  /**
   * Deal → version of its tape.
   */
  tape_versions: {
    /**
     * This interface was referenced by `undefined`'s JSON-Schema definition
     * via the `patternProperty` "^.*$".
     */
    [k: string]: number;
  };
  /**
   * Why it FAILED.
   */
  error: string | null;
  /**
   * Stable code of the failure.
   */
  error_code: string | null;
  /**
   * Instant, ISO 8601 UTC with milliseconds.
   */
  created_at: string;
  /**
   * Instant, ISO 8601 UTC with milliseconds.
   */
  completed_at: string | null;
}
export interface CalculationSummaryPage {
  success: true;
  data: CalculationSummary[];
  pagination: Pagination;
}
export interface CalculationSummaryResponse {
  success: true;
  data: CalculationSummary;
}
export interface CalendarPayment {
  /**
   * Payment date: of the report where there is one, else of the deal’s calendar, moved to a business day as the deal says.
   */
  date: string;
  /**
   * Identifier, `deal_…`.
   */
  deal_id: string;
  /**
   * Name of the deal.
   */
  deal: string;
  /**
   * Identifier, `trn_…`.
   */
  tranche_id: string;
  tranche: string;
  /**
   * Payment period, 1 is the first.
   */
  period: number;
  /**
   * The business day before it: who holds the face at its end is paid.
   */
  record_date: string;
  /**
   * Original face: held at the record date of a booked payment, else held now. In currency units, 2 decimals.
   */
  face: number;
  /**
   * Null where nobody can say it: `reason`. In currency units, 2 decimals.
   */
  interest: number | null;
  /**
   * Null where nobody can say it: `reason`. In currency units, 2 decimals.
   */
  principal: number | null;
  basis: CalendarBasis | null;
  reason: CalendarReason | null;
  /**
   * Of a booked payment.
   */
  payment_id: string | null;
  /**
   * Of a projected payment: the calculation behind the mark.
   */
  calculation_id: string | null;
}
export interface CalendarReason {
  /**
   * Stable code.
   */
  code: 'NO_MARK' | 'NO_CASH_FLOWS' | 'NOT_PROJECTED' | 'NOT_ACCEPTED' | 'NOT_BOOKED';
  message: string;
}
export interface CalendarPaymentListResponse {
  success: true;
  data: CalendarPayment[];
}
export interface CanonicalField {
  field: string;
  type: string;
  required: boolean;
  unit: string | null;
  range: FieldRange | null;
  enum: string[] | null;
  aliases: string[];
  description: string;
  source: string | null;
}
export interface FieldRange {
  min: unknown;
  max: unknown;
  min_exclusive: boolean;
  text: string;
}
export interface CanonicalFieldListResponse {
  success: true;
  data: CanonicalField[];
}
/**
 * A tranche on one payment date, or the collateral of the period.
 */
export interface CashFlow {
  /**
   * Name of the tranche, or `collateral`.
   */
  tranche: string;
  period: number;
  /**
   * Payment date.
   */
  date: string;
  /**
   * Before the payment. In currency units, 2 decimals.
   */
  opening: number;
  /**
   * Interest of the period and unpaid before. In currency units, 2 decimals.
   */
  interest_due?: number;
  /**
   * Interest paid. In currency units, 2 decimals.
   */
  interest_paid?: number;
  /**
   * Interest due and not paid. In currency units, 2 decimals.
   */
  interest_shortfall?: number;
  /**
   * Interest added to the balance. In currency units, 2 decimals.
   */
  accreted?: number;
  /**
   * Principal paid. In currency units, 2 decimals.
   */
  principal?: number;
  /**
   * Written off; negative when reinstated. In currency units, 2 decimals.
   */
  write_down?: number;
  /**
   * Interest that a cap had cut, paid. In currency units, 2 decimals.
   */
  carry_over_paid?: number;
  /**
   * Interest that caps cut and that is still owed. In currency units, 2 decimals.
   */
  carry_over?: number;
  /**
   * Percent a year, where the period decides it.
   */
  coupon?: number;
  /**
   * Collateral: scheduled principal. In currency units, 2 decimals.
   */
  scheduled_principal?: number;
  /**
   * Collateral: prepaid principal. In currency units, 2 decimals.
   */
  prepayment?: number;
  /**
   * Collateral: balance that defaults. In currency units, 2 decimals.
   */
  default?: number;
  /**
   * Collateral: recoveries received. In currency units, 2 decimals.
   */
  recovery?: number;
  /**
   * Collateral: loss booked. In currency units, 2 decimals.
   */
  loss?: number;
  /**
   * Collateral: principal advanced by the servicer. In currency units, 2 decimals.
   */
  advanced_principal?: number;
  /**
   * Collateral: interest collected. In currency units, 2 decimals.
   */
  interest?: number;
  /**
   * Fees paid. In currency units, 2 decimals.
   */
  fees?: number;
  /**
   * After the payment. In currency units, 2 decimals.
   */
  closing: number;
  /**
   * Closing over original balance, 8 decimals.
   */
  factor?: number;
}
export interface CashFlowListResponse {
  success: true;
  data: CashFlow[];
}
export interface CausedDelivery {
  /**
   * Identifier, `dlv_…`.
   */
  id: string;
  /**
   * Identifier, `evt_…`.
   */
  event_id: string;
  /**
   * Identifier, `whs_…`.
   */
  subscription_id: string;
  event: EventName;
  status: DeliveryStatus;
}
export interface CausedEvent {
  /**
   * Identifier, `evt_…`.
   */
  id: string;
  event: EventName;
  /**
   * Instant, ISO 8601 UTC with milliseconds.
   */
  timestamp: string;
}
export interface ChangeAlert {
  status: AlertStatus;
}
export interface ChangeDocument {
  visibility: DocumentVisibility;
}
export interface ChangeMapping {
  /**
   * @minItems 1
   * @maxItems 2000
   */
  mappings: MappingEntry[];
}
export interface MappingEntry {
  source: string;
  target: string | null;
  transform?: ColumnTransform;
  /**
   * Whether the values are sealed as personal data: `false` unseals a column that was taken for personal by mistake, `true` seals another one. Without it the header and the values decide.
   */
  sealed?: boolean;
  /**
   * As the mapping shows it; entries can be sent back as they were read. It is ignored.
   */
  confidence?: number;
  /**
   * As `sealed` of the mapping shows it. It is ignored.
   */
  reason?: string;
}
/**
 * How the column is read into its field if its values alone do not determine it. The text is made first (`formula`, or `split`, then `concat`, then `replace`) and then read like that of any other column: missing markers, `values`, `date`, `unit`, and `scale` or `multiply` and `divide`. A factor, a scale or a formula settles the unit: nothing is assumed about it. What was done stands in `decisions`.
 */
export interface ColumnTransform {
  formula?: ColumnFormula;
  split?: ColumnSplit;
  concat?: ColumnConcat;
  /**
   * Replaced in the text, one after the other, wherever it occurs.
   *
   * @minItems 1
   * @maxItems 10
   */
  replace?: TextReplacement[];
  /**
   * The number is multiplied by it.
   */
  scale?: number;
  /**
   * Exact factor with at most six decimals; -1 turns the sign. Together with `divide` the result is rounded once.
   */
  multiply?: number;
  /**
   * Exact divisor with at most six decimals; the result is rounded half-even to six decimals, and the decisions count the roundings.
   */
  divide?: number;
  /**
   * How a percent column is written.
   */
  unit?: 'fraction' | 'percent';
  /**
   * Pattern of the dates, such as MMYYYY.
   */
  date?: string;
  values?: {
    /**
     * This interface was referenced by `undefined`'s JSON-Schema definition
     * via the `patternProperty` "^.*$".
     */
    [k: string]: string | number | boolean | null;
  };
}
/**
 * The `expr` of a criteria rule over columns of the tape: `num / den × scale`, rounded half-even to six decimals. It takes the place of the text of the column; `source` may then be a name of its own that no column has. The inputs are read as written, whatever they are mapped to.
 */
export interface ColumnFormula {
  /**
   * Column above the line.
   */
  num: string;
  /**
   * Column below the line; where it is zero the value is missing.
   */
  den: string;
  /**
   * The ratio is multiplied by it, such as 100 for percent.
   */
  scale?: number;
}
/**
 * One part of the text is read. A row without that part is reported, and its value is missing.
 */
export interface ColumnSplit {
  /**
   * Text between the parts, taken literally.
   */
  separator: string;
  /**
   * From 1; -1 is the last part.
   */
  part: number;
}
/**
 * Further columns of the row, joined behind the text.
 */
export interface ColumnConcat {
  /**
   * @minItems 1
   * @maxItems 10
   *
   * Items: A column of the tape.
   */
  columns: string[];
  /**
   * Text between the columns; a blank by default.
   */
  separator?: string;
  /**
   * Leave blank columns out. By default a row in which some are blank is reported, and its value is missing.
   */
  skip_blank?: boolean;
}
export interface TextReplacement {
  /**
   * Taken literally, with its case.
   */
  find: string;
  /**
   * What stands in its place.
   */
  with: string;
}
export interface ChangeMember {
  /**
   * What people call the member.
   */
  name?: string;
  /**
   * ADMIN: members, keys and webhooks. EDIT: changes records. APPROVE: issues, withdraws, subscribes, orders and accepts. VIEW: reads.
   *
   * @minItems 1
   */
  rights?: Right[];
  /**
   * SUSPENDED signs the member out; ACTIVE ends a suspension, to INVITED for one who never signed in.
   */
  status?: 'ACTIVE' | 'SUSPENDED';
}
export interface ChangeNotificationPreferences {
  /**
   * Who gets the e-mails. Addresses that are given twice count once.
   *
   * @maxItems 20
   */
  emails?: string[];
  digest?: NotificationDigest;
  /**
   * Alerts of these priorities are sent at once. HIGH and CRITICAL until you choose.
   *
   * @maxItems 10
   */
  immediate?: AlertPriority[];
  /**
   * Types of alerts that are sent by e-mail; the alerts themselves are always raised.
   */
  types?: {
    /**
     * This interface was referenced by `undefined`'s JSON-Schema definition
     * via the `patternProperty` "^.*$".
     */
    [k: string]: boolean;
  };
}
export interface ChangeOrder {
  /**
   * Requested amount. In currency units, at most 2 decimals.
   */
  amount?: number;
  /**
   * Smallest fill that the order accepts; null: any. In currency units, at most 2 decimals.
   */
  minimum_amount?: number | null;
  /**
   * Lowest yield that the order accepts, percent a year with at most 6 decimals, compounded as the tranche’s mark is: bond equivalent unless its calculation says MONTHLY.
   */
  limit_yield?: number | null;
}
export interface ChangePool {
  /**
   * Name of the pool; the securitization deal has it too.
   */
  name?: string;
  /**
   * APPROVED loan deals of one loan type.
   *
   * @minItems 1
   * @maxItems 50
   *
   * Items: Identifier, `deal_…`.
   */
  deal_ids?: string[];
  /**
   * Balances and terms are as of this date.
   */
  cut_off_date?: string;
  /**
   * The notes are issued on this date; it may lie ahead.
   */
  closing_date?: string;
  filter?: PoolFilter[] | null;
  /**
   * Only loans that passed these runs; all loans of a deal without a run are pooled.
   *
   * @maxItems 50
   *
   * Items: Identifier, `scj_…`.
   */
  sc_job_ids?: string[];
  /**
   * Exemption under which the notes are offered.
   */
  offering?: '144A' | '506C' | 'REG_S';
}
export interface PoolFilter {
  id?: string;
  description?: string;
  /**
   * A condition of the rule language of selection criteria.
   */
  rule: {};
}
export interface ChangeSubscription {
  /**
   * Amount to commit instead. In currency units, at most 2 decimals.
   */
  subscription_amount: number;
}
export interface ChangeWebhookSubscription {
  /**
   * Address of the receiver: http or https (in production https only), at most 2,048 characters, port 80, 443 or at least 1024, without user, password, fragment or control characters.
   */
  url?: string;
  /**
   * Names of the events to send. Duplicates are merged.
   *
   * @minItems 1
   * @maxItems 100
   */
  events?: EventName[];
  active?: boolean;
}
export interface ChangedMapping {
  /**
   * Identifier, `deal_…`.
   */
  deal_id: string;
  /**
   * Identifier, `map_…`.
   */
  mapping_id: string;
  qc: {
    state: 'RUNNING';
  };
  mappings: MappedColumn[];
  /**
   * Columns with personal data: their values are encrypted and shown nowhere.
   */
  sealed: SealedColumn[];
  unmapped: string[];
  missing_required: string[];
  suggestions: MappingSuggestion[];
}
export interface MappedColumn {
  source: string;
  target: string;
  transform?: ColumnTransform;
  confidence: number;
  /**
   * The column is sealed; the field has tokens of its values.
   */
  sealed?: true;
}
export interface SealedColumn {
  source: string;
  /**
   * The field of the obligor that has its tokens.
   */
  target: string | null;
  sealed: true;
  reason: SealReason;
}
export interface MappingSuggestion {
  source: string;
  target: string;
  confidence: number;
  reason: string;
  /**
   * Up to three different values of the column.
   */
  samples: SampleValue[];
  /**
   * Why no values are shown: the column looks like personal data.
   */
  samples_withheld: string | null;
}
export interface SampleValue {
  /**
   * As it stands on the tape; a long one is cut with an ellipsis.
   */
  value: string;
  /**
   * What it would be as a value of the field; null where it is missing or unreadable.
   */
  reads_as: string | null;
  /**
   * It is no missing marker and could not be read.
   */
  unreadable: boolean;
}
export interface ChangedMappingResponse {
  success: true;
  data: ChangedMapping;
}
export interface ChangedPoolTapeMapping {
  /**
   * Identifier, `pool_…`.
   */
  pool_id: string;
  period: number;
  /**
   * Identifier, `map_…`.
   */
  mapping_id: string;
  state: 'RUNNING';
  mappings: MappedColumn[];
  /**
   * Columns with personal data: their values are encrypted and shown nowhere.
   */
  sealed: SealedColumn[];
  unmapped: string[];
  missing_required: string[];
  suggestions: MappingSuggestion[];
}
export interface ChangedPoolTapeMappingResponse {
  success: true;
  data: ChangedPoolTapeMapping;
}
/**
 * How far the running checks have come; null while none run, and before they begin.
 */
export interface ChecksProgress {
  /**
   * Stage of the checks; null for a bulk job.
   */
  stage: 'READING' | 'MATCHING' | 'CHECKING' | 'LISTING' | 'WRITING' | 'STORING';
  done: number;
  total: number;
}
export interface CollateralSummary {
  loan_type: string;
  loan_count: number;
  /**
   * Balance of the pool at the cut-off. In currency units, 2 decimals.
   */
  balance: number;
  /**
   * Weighted average coupon, percent a year.
   */
  wac: number | null;
  /**
   * Weighted average remaining term, months.
   */
  wam: number | null;
  /**
   * Calendar date, YYYY-MM-DD.
   */
  cut_off_date: string;
}
/**
 * Days whose collections are paid.
 */
export interface CollectionPeriod {
  /**
   * First day.
   */
  from: string;
  /**
   * Last day.
   */
  to: string;
}
export interface ComparableDeal {
  /**
   * Identifier, `deal_…`.
   */
  id: string;
  /**
   * Identifier, `deal_…`.
   */
  deal_id: string;
  name: string;
  /**
   * Sum of the offered tranches. In currency units, 2 decimals.
   */
  dealSize: number;
  asset_type: LoanType;
  /**
   * Percent a year.
   */
  wa_yield: number;
  /**
   * Share of the offered face whose yield is known, 0 to 1.
   */
  wa_yield_coverage: number;
  /**
   * Years.
   */
  wal: number | null;
  originator: string;
  market_status: MarketStatus;
  /**
   * Calendar date, YYYY-MM-DD.
   */
  closing_date: string;
}
export interface ComparableDealListResponse {
  success: true;
  data: ComparableDeal[];
}
export interface CompleteDocument {
  /**
   * A plain file name of at most 255 characters.
   */
  fileName: string;
  /**
   * file_key of the initiate step.
   */
  fileKey: string;
  /**
   * Such as W9_FORM (the default) or OFFERING_MEMORANDUM.
   */
  documentType?: string;
  /**
   * Loan deal or securitization deal of your own.
   */
  dealId?: string;
}
export interface CompletePoolTape {
  /**
   * Name that was sent to open the upload.
   */
  fileName: string;
}
export interface CompleteProfileDocument {
  /**
   * A plain file name of at most 255 characters.
   */
  fileName: string;
  /**
   * file_key of the initiate step.
   */
  fileKey: string;
  documentType?: TaxForm;
}
export interface CompleteTape {
  /**
   * Identifier, `deal_…`.
   */
  dealId: string;
  /**
   * Original name of the file.
   */
  fileName: string;
}
export interface CompletedTape {
  /**
   * Identifier, `deal_…`.
   */
  id: string;
  /**
   * Identifier, `deal_…`.
   */
  deal_id: string;
  name: string;
  loan_type: LoanType;
  status: DealStatus;
  /**
   * Market status of the securitization deal that holds its loans; null before one is issued.
   */
  market_status: MarketStatus | null;
  /**
   * Accepted loans.
   */
  loan_count: number;
  /**
   * Balance of the accepted loans. In currency units, 2 decimals.
   */
  total_balance: number;
  tape_version: number | null;
  issue_counts: IssueCounts;
  /**
   * Instant, ISO 8601 UTC with milliseconds.
   */
  created_at: string;
  /**
   * Instant, ISO 8601 UTC with milliseconds.
   */
  updated_at: string;
  /**
   * Identifier, `job_…`.
   */
  job_id: string;
}
export interface IssueCounts {
  error: number;
  warning: number;
}
export interface CompletedTapeResponse {
  success: true;
  data: CompletedTape;
}
export interface ComplianceCheck {
  check: string;
  result: CheckResult;
  reason: string;
}
export interface ComplianceProfile {
  /**
   * Know-your-customer review of the organization.
   */
  kyc_status: 'VERIFIED' | 'PENDING' | 'REJECTED';
  /**
   * Last day on which the review is valid; null when it does not expire.
   */
  kyc_expires_on: string | null;
  /**
   * Outcome of the sanctions screening.
   */
  sanctions_status: 'CLEAR' | 'REVIEW' | 'HIT';
  /**
   * Qualified institutional buyer (Rule 144A).
   */
  qib: boolean;
  /**
   * Accredited investor (Rule 506(c)).
   */
  accredited: boolean;
  /**
   * U.S. person (Regulation S).
   */
  us_person: boolean;
  /**
   * Tax form on file.
   */
  tax_form: TaxForm | null;
  /**
   * Benefit plan investor under ERISA.
   */
  erisa_plan: boolean;
  /**
   * Largest amount that the investor may hold or commit to in one deal. In currency units, at most 2 decimals.
   */
  concentration_limit?: number | null;
}
export interface Concentration {
  name: string;
  loan_count: number;
  /**
   * Current balance. In currency units, 2 decimals.
   */
  balance: number;
  /**
   * Fraction of the balance, 6 decimals.
   */
  share: number;
}
export interface ConfirmedTape {
  /**
   * Identifier, `deal_…`.
   */
  id: string;
  /**
   * Identifier, `deal_…`.
   */
  deal_id: string;
  name: string;
  loan_type: LoanType;
  status: DealStatus;
  /**
   * Market status of the securitization deal that holds its loans; null before one is issued.
   */
  market_status: MarketStatus | null;
  /**
   * Accepted loans.
   */
  loan_count: number;
  /**
   * Balance of the accepted loans. In currency units, 2 decimals.
   */
  total_balance: number;
  /**
   * The version in force.
   */
  tape_version: number;
  issue_counts: IssueCounts;
  /**
   * Instant, ISO 8601 UTC with milliseconds.
   */
  created_at: string;
  /**
   * Instant, ISO 8601 UTC with milliseconds.
   */
  updated_at: string;
  /**
   * Identifier, `job_…`.
   */
  job_id: string;
}
export interface ConfirmedTapeResponse {
  success: true;
  data: ConfirmedTape;
}
export interface ConflictResolution {
  /**
   * Reason, kept with the conflict.
   */
  reason: string;
}
export interface CouponReset {
  /**
   * The index is that of so many days before the accrual. Default 0.
   */
  lag_days?: number;
  /**
   * The coupon keeps its index so long. Default: the months between payments.
   */
  every_months?: number;
}
export interface CreditRisk {
  total: StratFigures;
  /**
   * Every numeric field that is not an amount, weighted by balance.
   */
  weighted_averages: WeightedAverage[];
  top_obligors: Concentration[] | null;
  top_states: Concentration[] | null;
  hhi: Herfindahl;
  /**
   * By days past due.
   */
  delinquency: DelinquencyBucket[];
  /**
   * Terms and ages are as of this date: the tape’s, or the pool’s cut-off.
   */
  as_of: string;
  /**
   * Deal → version of its tape.
   */
  tape_versions: {
    /**
     * This interface was referenced by `undefined`'s JSON-Schema definition
     * via the `patternProperty` "^.*$".
     */
    [k: string]: number;
  };
  engine_version: string;
}
export interface StratFigures {
  loan_count: number;
  /**
   * Current balance. In currency units, 2 decimals.
   */
  balance: number;
  /**
   * Balance over loans. In currency units, 2 decimals.
   */
  average_balance: number | null;
  /**
   * Balance-weighted averages: wac percent, wam months, wa_credit_score, …; loans without a value are left out; null when none has one.
   */
  averages: {
    /**
     * This interface was referenced by `undefined`'s JSON-Schema definition
     * via the `patternProperty` "^.*$".
     */
    [k: string]: number | null;
  };
}
export interface WeightedAverage {
  field: string;
  value: number | null;
  unit: string | null;
  loans_missing: number;
  /**
   * Of the loans without a value. In currency units, 2 decimals.
   */
  balance_missing: number;
}
/**
 * Σ share², 1 is a single group.
 */
export interface Herfindahl {
  obligor: number | null;
  state: number | null;
}
export interface DelinquencyBucket {
  name: string;
  loan_count: number;
  /**
   * Current balance. In currency units, 2 decimals.
   */
  balance: number;
  /**
   * Fraction of the balance, 6 decimals.
   */
  share: number;
  from_days: number | null;
  to_days: number | null;
}
export interface CreditRiskResponse {
  success: true;
  data: CreditRisk;
}
export interface CriteriaRun {
  sc_job_id: string;
  status: RunStatus;
  /**
   * Loans that pass, waived ones included.
   */
  passed: number;
  failed: number;
  total: number;
  /**
   * Instant, ISO 8601 UTC with milliseconds.
   */
  run_at: string | null;
  /**
   * Identifier, `deal_…`.
   */
  deal_id: string;
  /**
   * Identifier, `crt_…`.
   */
  criteria_id: string;
  criteria_version: number;
  tape_version: number;
  waived: number;
  /**
   * Balance of the loans that pass. In currency units, 2 decimals.
   */
  passed_balance: number;
  /**
   * Balance of the loans that fail. In currency units, 2 decimals.
   */
  failed_balance: number;
  rule_results: RuleResult[];
  /**
   * Loans and balance in all, after each rule, and eligible.
   */
  waterfall: WaterfallStep[];
  pool_tests: PoolTestResult[];
  exception_file_id: string | null;
  /**
   * Reason of the failure, in a sentence.
   */
  error: string | null;
  /**
   * RUN_FAILED or RUN_INTERRUPTED.
   */
  error_code: string | null;
  /**
   * The first 100 outcomes.
   */
  loans: LoanOutcome[];
}
export interface RuleResult {
  rule_id: string;
  failed: number;
  missing: number;
  /**
   * Balance of the loans that fail the rule. In currency units, 2 decimals.
   */
  failed_balance: number;
  /**
   * Loans that fail for this rule alone.
   */
  only_reason: number;
}
export interface WaterfallStep {
  step: 'TOTAL' | 'RULE' | 'ELIGIBLE';
  rule_id: string | null;
  /**
   * Loans that this rule is the first to remove.
   */
  removed: number;
  /**
   * Their balance. In currency units, 2 decimals.
   */
  removed_balance: number;
  /**
   * Loans left.
   */
  loans: number;
  /**
   * Balance left. In currency units, 2 decimals.
   */
  balance: number;
}
export interface PoolTestResult {
  rule_id: string;
  group?: string | null;
  limit: unknown;
  /**
   * Measured over the eligible loans, 8 places.
   */
  actual: number | null;
  /**
   * Null: not applicable.
   */
  passed: boolean | null;
  /**
   * Balance over the limit. In currency units, 2 decimals.
   */
  excess_balance: number | null;
  headroom: number | null;
  offenders: PoolTestOffender[] | null;
  /**
   * Whether more than 1,000 groups are over their limit.
   */
  more_offenders: boolean;
}
export interface PoolTestOffender {
  group: string;
  /**
   * Its own limit; null where the largest groups break one limit together.
   */
  limit: {
    [k: string]: unknown;
  };
  /**
   * Its share, 8 places.
   */
  actual: number;
  /**
   * Balance over its limit. In currency units, 2 decimals.
   */
  excess_balance: number | null;
  /**
   * Limit less share; negative beyond the limit.
   */
  headroom: number | null;
}
export interface LoanOutcome {
  loan_id: string;
  row_number: number;
  outcome: OutcomeStatus;
  /**
   * Balance of the loan. In currency units, 2 decimals.
   */
  balance: number;
  failures: RuleFailure[];
}
export interface RuleFailure {
  rule_id: string;
  name: string;
  field: string | null;
  operator: string | null;
  expected: unknown;
  actual: unknown;
  reason: FailureReason;
  severity: RuleSeverity;
}
export interface CriteriaRunPage {
  success: true;
  data: CriteriaRun[];
  pagination: Pagination;
}
export interface CriteriaRunResponse {
  success: true;
  data: CriteriaRun;
}
export interface CriteriaSet {
  /**
   * Identifier, `crt_…`.
   */
  criteria_id: string;
  version: number;
  name: string;
  loan_type: LoanType;
  missing_policy: MissingPolicy;
  weight_field: string;
  as_of?: string;
  value_sets: unknown;
  custom_fields: unknown;
  loan_rules: unknown[];
  pool_tests: unknown[];
  /**
   * Instant, ISO 8601 UTC with milliseconds.
   */
  created_at: string;
}
export interface CriteriaSetPage {
  success: true;
  data: CriteriaSet[];
  pagination: Pagination;
}
export interface CriteriaSetResponse {
  success: true;
  data: CriteriaSet;
}
export interface CriteriaTemplate {
  id: string;
  /**
   * A loan type, or `Any`.
   */
  loan_type: string;
  /**
   * The criterion in words.
   */
  text: string;
  /**
   * Where it is published.
   */
  source: string;
  [k: string]: unknown;
}
export interface CriteriaTemplateListResponse {
  success: true;
  data: CriteriaTemplate[];
}
export interface Cure {
  rule_id: string;
  feasible: boolean;
  /**
   * Why there is no removal; null when there is one.
   */
  reason: string | null;
  /**
   * Loans to remove.
   */
  loans: number;
  /**
   * Their balance. In currency units, 2 decimals.
   */
  removed_balance: number;
  /**
   * No smaller removal exists.
   */
  optimal: boolean;
  /**
   * Loans left.
   */
  pool_loans: number;
  /**
   * Balance left. In currency units, 2 decimals.
   */
  pool_balance: number;
  [k: string]: unknown;
}
/**
 * `min_removal`: one cure for each failed pool test, in `cures`. `max_pool`: one removal, in the fields of a cure.
 */
export interface Cures {
  /**
   * Identifier, `scj_…`.
   */
  sc_job_id: string;
  objective: Objective;
  cures?: Cure[];
  [k: string]: unknown;
}
export interface CuresResponse {
  success: true;
  data: Cures;
}
export interface CurrentKey {
  /**
   * The key; null where a person acted.
   */
  key_id: string | null;
  /**
   * The member of the organization who was signed in; null where a key acted.
   */
  member_id: string | null;
  /**
   * Identifier, `org_…`.
   */
  organization_id: string;
  organization: string;
  role: Role;
  environment: Environment;
  /**
   * Instant, ISO 8601 UTC with milliseconds.
   */
  expires_at: string;
  /**
   * Version of the API in which your requests are answered, unless they name another with Sluice-Version: that of the first call of this key.
   */
  api_version: string;
  label: string | null;
  scopes: string[] | null;
  networks: string[] | null;
  rate_limit: RateLimit;
}
export interface RateLimit {
  limit: number;
  remaining: number;
  reset: number;
}
export interface CurrentKeyResponse {
  success: true;
  data: CurrentKey;
}
export interface Deal {
  /**
   * Identifier, `deal_…`.
   */
  id: string;
  /**
   * Identifier, `deal_…`.
   */
  deal_id: string;
  name: string;
  loan_type: LoanType;
  status: DealStatus;
  /**
   * Market status of the securitization deal that holds its loans; null before one is issued.
   */
  market_status: MarketStatus | null;
  /**
   * Accepted loans.
   */
  loan_count: number;
  /**
   * Balance of the accepted loans. In currency units, 2 decimals.
   */
  total_balance: number;
  tape_version: number | null;
  issue_counts: IssueCounts;
  /**
   * Instant, ISO 8601 UTC with milliseconds.
   */
  created_at: string;
  /**
   * Instant, ISO 8601 UTC with milliseconds.
   */
  updated_at: string;
  mapping_id: string | null;
  /**
   * Reporting date of the tape, or the day it was read where it says none.
   */
  as_of_date: string | null;
  qc: QualityControl;
  history: DealMove[];
}
export interface QualityControl {
  /**
   * State of the checks of the newest version; null while the deal has no tape. FAILED: they ended without a result, see `reason`; send a new version or POST …/recheck. NEEDS_CONFIRMATION: the version in `waiting` would lose more than half of the loans or of the balance; all other figures here are those of the version in force.
   */
  state: PoolTapeState | null;
  progress: ChecksProgress | null;
  /**
   * Why the checks FAILED.
   */
  reason: string | null;
  rows: number;
  accepted: number;
  rejected: number;
  by_rule: RuleCount[] | null;
  waiting: WaitingVersion | null;
  /**
   * CURRENT, ORIGINAL (no current balance column) or LIMIT.
   */
  balance_basis: string | null;
  /**
   * Findings about the tape as a whole, and the decisions made while reading it.
   */
  findings: {
    [k: string]: unknown;
  };
}
export interface RuleCount {
  rule_id: string;
  severity: FindingSeverity;
  count: number;
}
/**
 * The version that waits for POST …/tapes/{version}/confirm or DELETE …/tapes/{version}; null when none waits.
 */
export interface WaitingVersion {
  version: number;
  /**
   * Its accepted loans.
   */
  loan_count: number;
  /**
   * Balance of its accepted loans. In currency units, 2 decimals.
   */
  total_balance: number;
  file_name: string;
  /**
   * Instant, ISO 8601 UTC with milliseconds.
   */
  created_at: string;
  rows: number;
  issue_counts: IssueCounts;
  by_rule: RuleCount[] | null;
  in_force: VersionInForce;
  /**
   * Loans that the deal would have fewer; negative if it would have more.
   */
  lost_loans: number;
  /**
   * Balance that the deal would lose; negative if it would gain.
   */
  lost_balance: number;
}
export interface VersionInForce {
  version: number;
  /**
   * Its accepted loans.
   */
  loan_count: number;
  /**
   * Balance of its accepted loans. In currency units, 2 decimals.
   */
  total_balance: number;
}
export interface DealMove {
  from: DealStatus | null;
  to: DealStatus;
  /**
   * Instant, ISO 8601 UTC with milliseconds.
   */
  at: string;
  actor: string;
  reason: string | null;
}
export interface DealAllocation {
  /**
   * Identifier, `deal_…`.
   */
  deal_id: string;
  method: AllocationMethod;
  dry_run: boolean;
  tranches: TrancheAllocation[];
  allocations: AllocationFill[];
  unfilled: UnfilledBid[];
}
export interface TrancheAllocation {
  /**
   * Identifier, `trn_…`.
   */
  tranche_id: string;
  tranche: string;
  /**
   * Face on offer. In currency units, 2 decimals.
   */
  size: number;
  /**
   * Sum of the bids. In currency units, 2 decimals.
   */
  demand: number;
  /**
   * Sum of the fills. In currency units, 2 decimals.
   */
  allocated: number;
  /**
   * Percent a year.
   */
  yield: number | null;
  /**
   * Clean, per 100 of current balance, fixed when the allocation is issued: the price of the trade.
   */
  price: number | null;
  bids: number;
  /**
   * sha-256 of the book without names.
   */
  book_hash: string;
}
export interface UnfilledBid {
  /**
   * Identifier, `org_…`.
   */
  organization_id: string;
  /**
   * Identifier, `trn_…`.
   */
  tranche_id: string;
  /**
   * Identifier, `ord_…`.
   */
  order_id: string | null;
  /**
   * Identifier, `sub_…`.
   */
  subscription_id: string | null;
  /**
   * Requested amount. In currency units, 2 decimals.
   */
  requested_amount: number;
  reason: string;
}
export interface DealAllocationResponse {
  success: true;
  data: DealAllocation;
}
export interface DealBook {
  /**
   * Identifier, `pool_…`.
   */
  pool_id: string;
  name: string;
  /**
   * The securitization deal; null before the pool is issued.
   */
  deal_id: string | null;
  /**
   * Status on the market; null before the pool is issued.
   */
  market_status: MarketStatus | null;
  tranches: TrancheBook[];
}
export interface TrancheBook {
  /**
   * Identifier, `trn_…`.
   */
  tranche_id: string;
  tranche: string;
  class: string;
  /**
   * Original face. In currency units, 2 decimals.
   */
  balance: number;
  indications: Demand;
  subscriptions: Demand1;
  orders: Demand2;
  /**
   * The open orders by their limit, those at market first, then limits ascending.
   */
  orders_by_limit: DemandAtLimit[];
  /**
   * (Live subscriptions + open orders) / balance, a fraction of 6 decimals; null for a tranche without balance.
   */
  coverage: number | null;
  /**
   * Every investor with demand for the tranche, the largest commitment first.
   */
  investors: InvestorDemand[];
}
/**
 * Live indications of interest. They name a deal, not a tranche: they count for its most senior tranche on offer.
 */
export interface Demand {
  count: number;
  /**
   * Their sum. In currency units, 2 decimals.
   */
  amount: number;
}
/**
 * Live indications of interest. They name a deal, not a tranche: they count for its most senior tranche on offer.
 */
export interface Demand1 {
  count: number;
  /**
   * Their sum. In currency units, 2 decimals.
   */
  amount: number;
}
/**
 * Live indications of interest. They name a deal, not a tranche: they count for its most senior tranche on offer.
 */
export interface Demand2 {
  count: number;
  /**
   * Their sum. In currency units, 2 decimals.
   */
  amount: number;
}
export interface DemandAtLimit {
  /**
   * Percent a year; null: orders at market.
   */
  limit_yield: number | null;
  count: number;
  /**
   * Their sum. In currency units, 2 decimals.
   */
  amount: number;
}
export interface InvestorDemand {
  /**
   * Identifier, `org_…`.
   */
  organization_id: string;
  organization: string;
  indications: Demand;
  subscriptions: Demand3;
  orders: Demand4;
}
/**
 * Live indications of interest. They name a deal, not a tranche: they count for its most senior tranche on offer.
 */
export interface Demand3 {
  count: number;
  /**
   * Their sum. In currency units, 2 decimals.
   */
  amount: number;
}
/**
 * Live indications of interest. They name a deal, not a tranche: they count for its most senior tranche on offer.
 */
export interface Demand4 {
  count: number;
  /**
   * Their sum. In currency units, 2 decimals.
   */
  amount: number;
}
export interface DealBookResponse {
  success: true;
  data: DealBook;
}
export interface DealDisclosure {
  /**
   * Identifier, `deal_…`.
   */
  deal_id: string;
  /**
   * AGGREGATE: groups of loans; LOAN_LEVEL: each loan too, in these fields.
   */
  level: 'AGGREGATE' | 'LOAN_LEVEL';
  fields: string[];
}
export interface DealDisclosureResponse {
  success: true;
  data: DealDisclosure;
}
export interface DealDocument {
  /**
   * Identifier, `doc_…`.
   */
  document_id: string;
  status: 'uploaded';
  document_type: string;
  /**
   * Identifier, `deal_…`.
   */
  deal_id: string | null;
  file_name: string;
  content_type: string;
  /**
   * Bytes.
   */
  size: number;
  /**
   * Of the content, lower-case hexadecimal.
   */
  sha256: string;
  /**
   * Incremented when the same name is uploaded for the same deal again.
   */
  version: number;
  visibility: DocumentVisibility;
  /**
   * Instant, ISO 8601 UTC with milliseconds.
   */
  created_at: string;
  file_key: string;
}
export interface DealDocumentPage {
  success: true;
  data: DealDocument[];
  pagination: Pagination;
}
export interface DealDocumentResponse {
  success: true;
  data: DealDocument;
}
export interface DealExplanation {
  /**
   * Dates, accrual, rounding, losses and other conventions of the whole deal.
   */
  payment: string[];
  tranches: ExplainedTranche[];
  accounts: ExplainedAccount[];
  fees: ExplainedFee[];
  /**
   * The waterfall, in order.
   */
  steps: ExplainedStep[];
  triggers: ExplainedTrigger[];
  calls: ExplainedCall[];
}
export interface ExplainedTranche {
  tranche: string;
  /**
   * In sentences, as an indenture says it.
   */
  text: string;
  /**
   * Where the documents say it, as the structure names it.
   */
  clause: string | null;
}
export interface ExplainedAccount {
  account: string;
  /**
   * In sentences, as an indenture says it.
   */
  text: string;
  /**
   * Where the documents say it, as the structure names it.
   */
  clause: string | null;
}
export interface ExplainedFee {
  fee: string;
  /**
   * In sentences, as an indenture says it.
   */
  text: string;
  /**
   * Where the documents say it, as the structure names it.
   */
  clause: string | null;
}
export interface ExplainedStep {
  /**
   * Name of the step, or its place.
   */
  step: string;
  /**
   * From 1.
   */
  place: number;
  /**
   * In sentences, as an indenture says it.
   */
  text: string;
  /**
   * Where the documents say it, as the structure names it.
   */
  clause: string | null;
}
export interface ExplainedTrigger {
  trigger: string;
  /**
   * In sentences, as an indenture says it.
   */
  text: string;
  /**
   * Where the documents say it, as the structure names it.
   */
  clause: string | null;
}
export interface ExplainedCall {
  call: string;
  /**
   * In sentences, as an indenture says it.
   */
  text: string;
  /**
   * Where the documents say it, as the structure names it.
   */
  clause: string | null;
}
export interface DealListedMessage {
  event: 'deal.listed';
  /**
   * Time of the event; messages may arrive out of order.
   */
  timestamp: string;
  data: ListingEventData;
}
export interface ListingEventData {
  deal_id: string;
  name: string;
  asset_type: string;
  deal_size: number;
  /**
   * Null when the deal is listed.
   */
  previous_market_status: string | null;
  current_market_status: string;
}
export interface DealMarketStatusChangedMessage {
  event: 'deal.market_status_changed';
  /**
   * Time of the event; messages may arrive out of order.
   */
  timestamp: string;
  data: ListingEventData;
}
export interface DealResponse {
  success: true;
  data: Deal;
}
export interface DealStatusChangedData {
  deal_id: string;
  previous_status: string;
  current_status: string;
}
export interface DealStatusChangedMessage {
  event: 'deal.status_changed';
  /**
   * Time of the event; messages may arrive out of order.
   */
  timestamp: string;
  data: DealStatusChangedData;
}
export interface DealStructure {
  /**
   * Identifier, `deal_…`.
   */
  deal_id: string;
  /**
   * Version of the structure.
   */
  structure_version: number;
  /**
   * Tranches, accounts, fees, waterfall and triggers, in the deal language.
   */
  structure: {
    [k: string]: unknown;
  };
  explanation: DealExplanation;
}
export interface DealStructureResponse {
  success: true;
  data: DealStructure;
}
export interface DealSummary {
  /**
   * Identifier, `deal_…`.
   */
  id: string;
  /**
   * Identifier, `deal_…`.
   */
  deal_id: string;
  name: string;
  loan_type: LoanType;
  status: DealStatus;
  /**
   * Market status of the securitization deal that holds its loans; null before one is issued.
   */
  market_status: MarketStatus | null;
  /**
   * Accepted loans.
   */
  loan_count: number;
  /**
   * Balance of the accepted loans. In currency units, 2 decimals.
   */
  total_balance: number;
  tape_version: number | null;
  issue_counts: IssueCounts;
  /**
   * Instant, ISO 8601 UTC with milliseconds.
   */
  created_at: string;
  /**
   * Instant, ISO 8601 UTC with milliseconds.
   */
  updated_at: string;
}
export interface DealSummaryPage {
  success: true;
  data: DealSummary[];
  pagination: Pagination;
}
export interface DealSummaryResponse {
  success: true;
  data: DealSummary;
}
export interface DealWarnings {
  /**
   * Identifier, `deal_…`.
   */
  deal_id: string;
  warnings: string[];
}
export interface DecisionReason {
  reason?: string;
}
export interface Delivery {
  /**
   * Identifier, `dlv_…`.
   */
  id: string;
  /**
   * The same as `id`.
   */
  delivery_id: string;
  /**
   * Identifier, `whs_…`.
   */
  subscription_id: string;
  /**
   * Identifier, `evt_…`.
   */
  event_id: string;
  event: EventName;
  kind: DeliveryKind;
  status: DeliveryStatus;
  /**
   * Status of the response; null without a response.
   */
  http_status: number | null;
  /**
   * Why it is FAILED: http_status, redirect, dns, refused, unreachable, timeout, tls, blocked, reset, invalid_response, secret_unreadable, subscription_disabled, subscription_deleted, event_expired, abandoned.
   */
  error: string | null;
  attempts: number;
  /**
   * When it will be retried; null when it will not.
   */
  next_attempt_at: string | null;
  /**
   * The delivery that this one replays.
   */
  replay_of: string | null;
  /**
   * Instant, ISO 8601 UTC with milliseconds.
   */
  created_at: string;
  request: DeliveryRequest;
  attempts_log: DeliveryAttempt[];
}
export interface DeliveryRequest {
  method: 'POST';
  url: string | null;
  /**
   * The headers that depend neither on the time nor on the secret.
   */
  headers: {
    /**
     * This interface was referenced by `undefined`'s JSON-Schema definition
     * via the `patternProperty` "^.*$".
     */
    [k: string]: string;
  };
  /**
   * The exact text that is signed and sent; null when the event is no longer kept.
   */
  body: string | null;
}
export interface DeliveryAttempt {
  /**
   * Instant, ISO 8601 UTC with milliseconds.
   */
  at: string;
  /**
   * How long the attempt took.
   */
  ms: number;
  http_status: number | null;
  error: string | null;
  /**
   * Beginning of the response body, at most 1,024 characters.
   */
  response_excerpt: string | null;
}
export interface DeliveryResponse {
  success: true;
  data: Delivery;
}
export interface DeliverySummary {
  /**
   * Identifier, `dlv_…`.
   */
  id: string;
  /**
   * The same as `id`.
   */
  delivery_id: string;
  /**
   * Identifier, `whs_…`.
   */
  subscription_id: string;
  /**
   * Identifier, `evt_…`.
   */
  event_id: string;
  event: EventName;
  kind: DeliveryKind;
  status: DeliveryStatus;
  /**
   * Status of the response; null without a response.
   */
  http_status: number | null;
  /**
   * Why it is FAILED: http_status, redirect, dns, refused, unreachable, timeout, tls, blocked, reset, invalid_response, secret_unreadable, subscription_disabled, subscription_deleted, event_expired, abandoned.
   */
  error: string | null;
  attempts: number;
  /**
   * When it will be retried; null when it will not.
   */
  next_attempt_at: string | null;
  /**
   * The delivery that this one replays.
   */
  replay_of: string | null;
  /**
   * Instant, ISO 8601 UTC with milliseconds.
   */
  created_at: string;
}
export interface DeliverySummaryPage {
  success: true;
  data: DeliverySummary[];
  pagination: Pagination;
}
export interface DeliverySummaryResponse {
  success: true;
  data: DeliverySummary;
}
export interface DemandChangedData {
  deal_id: string;
  tranches: {
    tranche_id: string;
    indications: InterestEventFigures;
    subscriptions: InterestEventFigures1;
    orders: InterestEventFigures1;
    /**
     * Live subscriptions and open orders over the balance of the tranche; null for a tranche without balance.
     */
    coverage: number | null;
  }[];
}
/**
 * Live indications. They name no tranche and count for the most senior one on offer, as a subscription without a tranche does.
 */
export interface InterestEventFigures {
  count: number;
  amount: number;
}
export interface InterestEventFigures1 {
  count: number;
  amount: number;
}
export interface DemandChangedMessage {
  event: 'demand.changed';
  /**
   * Time of the event; messages may arrive out of order.
   */
  timestamp: string;
  data: DemandChangedData;
}
export interface DestroyedPersonalData {
  /**
   * Identifier, `deal_…`.
   */
  deal_id: string;
  /**
   * The versions whose keys were destroyed by this request.
   */
  versions: number[];
  /**
   * Instant, ISO 8601 UTC with milliseconds.
   */
  destroyed_at: string;
}
export interface DestroyedPersonalDataResponse {
  success: true;
  data: DestroyedPersonalData;
}
/**
 * The disclosed fields of a loan.
 */
export interface DisclosedLoan {
  /**
   * Id of the loan in this deal, the same in every list and file.
   */
  loan: string;
  [k: string]: unknown;
}
export interface DisclosedLoanPage {
  success: true;
  data: DisclosedLoan[];
  pagination: Pagination;
}
export interface Disclosure {
  /**
   * Identifier, `pool_…`.
   */
  pool_id: string;
  level: DisclosureLevel;
  /**
   * Fields of each loan that investors see at LOAN_LEVEL.
   */
  fields: string[];
  /**
   * Incremented with every change; 0 before the first.
   */
  version: number;
  /**
   * The fields of the loan type that can be named. What names a loan, its collateral or a person is none of them.
   */
  may_disclose: string[];
}
export interface DisclosureResponse {
  success: true;
  data: Disclosure;
}
export interface DocumentAccess {
  /**
   * Identifier, `org_…`.
   */
  reader_id: string;
  /**
   * Name of the organization.
   */
  reader: string;
  /**
   * The key; null where a person acted.
   */
  key_id: string | null;
  /**
   * The member of the organization who was signed in; null where a key acted.
   */
  member_id: string | null;
  act: 'ADDRESS_ISSUED' | 'DOWNLOADED';
  /**
   * Instant, ISO 8601 UTC with milliseconds.
   */
  at: string;
}
export interface DocumentAccessPage {
  success: true;
  data: DocumentAccess[];
  pagination: Pagination;
}
export interface DocumentAddress {
  /**
   * Identifier, `doc_…`.
   */
  document_id: string;
  file_name: string;
  size: number;
  sha256: string;
  /**
   * GET it without a key before it expires.
   */
  download_url: string;
  /**
   * When the address stops working: five minutes after it was made.
   */
  expires_at: string;
}
export interface DocumentAddressResponse {
  success: true;
  data: DocumentAddress;
}
export interface DocumentSummary {
  /**
   * Identifier, `doc_…`.
   */
  document_id: string;
  status: 'uploaded';
  document_type: string;
  /**
   * Identifier, `deal_…`.
   */
  deal_id: string | null;
  file_name: string;
  content_type: string;
  /**
   * Bytes.
   */
  size: number;
  /**
   * Of the content, lower-case hexadecimal.
   */
  sha256: string;
  /**
   * Incremented when the same name is uploaded for the same deal again.
   */
  version: number;
  visibility: DocumentVisibility;
  /**
   * Instant, ISO 8601 UTC with milliseconds.
   */
  created_at: string;
}
export interface DocumentSummaryPage {
  success: true;
  data: DocumentSummary[];
  pagination: Pagination;
}
export interface DocumentUploadedData {
  document_id: string;
  deal_id: string | null;
  document_type: string;
  file_name: string;
  uploaded_at: string;
}
export interface DocumentUploadedMessage {
  event: 'document.uploaded';
  /**
   * Time of the event; messages may arrive out of order.
   */
  timestamp: string;
  data: DocumentUploadedData;
}
export interface DocumentWithVersions {
  /**
   * Identifier, `doc_…`.
   */
  document_id: string;
  status: 'uploaded';
  document_type: string;
  /**
   * Identifier, `deal_…`.
   */
  deal_id: string | null;
  file_name: string;
  content_type: string;
  /**
   * Bytes.
   */
  size: number;
  /**
   * Of the content, lower-case hexadecimal.
   */
  sha256: string;
  /**
   * Incremented when the same name is uploaded for the same deal again.
   */
  version: number;
  visibility: DocumentVisibility;
  /**
   * Instant, ISO 8601 UTC with milliseconds.
   */
  created_at: string;
  file_key: string;
  versions: DocumentSummary[];
}
export interface DocumentWithVersionsResponse {
  success: true;
  data: DocumentWithVersions;
}
export interface EarlierRequest {
  /**
   * When it arrived, by the real clock, also where a sandbox has advanced its own.
   */
  at: string;
  /**
   * Milliseconds until its response was sent.
   */
  ms: number;
  method: string;
  /**
   * Without the query. A part that is no identifier is shown by its name in the reference.
   */
  path: string;
  /**
   * Of the response.
   */
  status: number;
  /**
   * Of an error.
   */
  code: string | null;
}
export interface Error {
  success: false;
  /**
   * For people; its wording must not be relied on.
   */
  message: string;
  /**
   * The HTTP status.
   */
  statusCode: number;
  code: ErrorCode;
  request_id: string;
  /**
   * Where the code is explained, and what to do. Absent where the gateway serves no reference.
   */
  doc_url?: string;
  errors?: FieldProblem[];
}
export interface FieldProblem {
  field: string | null;
  code: string;
  message: string;
}
export interface Event {
  /**
   * Identifier, `evt_…`.
   */
  id: string;
  event: EventName;
  /**
   * Instant, ISO 8601 UTC with milliseconds.
   */
  timestamp: string;
  data: unknown;
}
export interface EventSlice {
  success: true;
  data: Event[];
  next_after: string | null;
}
export interface EventType {
  event: EventName;
  schema: unknown;
  sample: unknown;
}
export interface EventTypeListResponse {
  success: true;
  data: EventType[];
}
export interface ExceptionFile {
  /**
   * Identifier, `exf_…`.
   */
  exception_file_id: string;
  /**
   * Identifier, `deal_…`.
   */
  deal_id: string;
  /**
   * Identifier, `scj_…`.
   */
  sc_job_id: string;
  exception_count: number;
  /**
   * Instant, ISO 8601 UTC with milliseconds.
   */
  created_at: string;
}
export interface ExceptionFilePage {
  success: true;
  data: ExceptionFile[];
  pagination: Pagination;
}
export interface ExceptionFileResponse {
  success: true;
  data: ExceptionFile;
}
export interface Exposure {
  name: string;
  /**
   * Your part of the loans of the group. In currency units, 2 decimals.
   */
  balance: number;
  /**
   * Fraction of the sum of all groups, 6 decimals.
   */
  share: number;
  /**
   * Deals that you hold with loans of the group.
   */
  deals: number;
  /**
   * Deals without groups, and why; only with the name (not disclosed).
   */
  left_out?: UngroupedDeal[];
}
export interface UngroupedDeal {
  /**
   * Identifier, `deal_…`.
   */
  deal_id: string;
  reason: 'OBLIGORS_NOT_DISCLOSED' | 'NO_LOANS' | 'WITHDRAWN' | 'NOTHING_OUTSTANDING';
}
export interface ExposureListResponse {
  success: true;
  data: Exposure[];
}
export interface Finding {
  row_number: number | null;
  line: number | null;
  column: string | null;
  field: string | null;
  rule_id: string;
  severity: FindingSeverity;
  message: string;
  actual: string | null;
  expected: string | null;
}
export interface FindingPage {
  success: true;
  data: Finding[];
  pagination: Pagination;
}
export interface Fingerprinted {
  /**
   * Loans with a vehicle identification number.
   */
  vin: number;
  /**
   * Loans with the id of their property.
   */
  property: number;
  /**
   * Loans with a contract number, an original balance and an origination date.
   */
  contract_number: number;
  /**
   * Loans with an invoice number, its debtor and an amount.
   */
  invoice: number;
}
export interface FireEvent {
  event: EventName;
  data?: {
    /**
     * This interface was referenced by `undefined`'s JSON-Schema definition
     * via the `patternProperty` "^.*$".
     */
    [k: string]: unknown;
  };
}
export interface FiredEvent {
  event: EventName;
  data: unknown;
}
export interface FiredEventResponse {
  success: true;
  data: FiredEvent;
}
export interface Fixing {
  /**
   * Name of the index, as structures of pools write it.
   */
  index: string;
  /**
   * Day of the fixing.
   */
  date: string;
  /**
   * Percent a year, at most 6 decimals.
   */
  rate: number;
  /**
   * Floating tranches on the platform that follow the index.
   */
  tranche_count: number;
  /**
   * Instant, ISO 8601 UTC with milliseconds.
   */
  created_at: string;
  /**
   * Instant, ISO 8601 UTC with milliseconds.
   */
  updated_at: string;
}
export interface FixingPage {
  success: true;
  data: Fixing[];
  pagination: Pagination;
}
export interface FixingResponse {
  success: true;
  data: Fixing;
}
export interface FollowedDeal {
  /**
   * A public deal.
   */
  deal: string;
  /**
   * Where its terms can be read.
   */
  source: string;
  /**
   * Which of its terms the template has.
   */
  scope: string;
}
export interface ForgottenMapping {
  /**
   * Identifier, `deal_…`.
   */
  deal_id: string;
  loan_type: LoanType;
  scope: MappingMemoryScope;
  /**
   * Remembered mappings that were there and are no more.
   */
  forgotten: number;
}
export interface ForgottenMappingResponse {
  success: true;
  data: ForgottenMapping;
}
export interface FoundDeal {
  /**
   * Identifier, `deal_…`.
   */
  deal_id: string;
  kind: DealKind;
  name: string;
  /**
   * Of a securitization deal that on the market.
   */
  status: string;
}
export interface FoundDeals {
  /**
   * The first 10.
   */
  rows: FoundDeal[];
  /**
   * Whether others are found too.
   */
  more: boolean;
}
export interface FoundLoan {
  /**
   * Identifier, `deal_…`.
   */
  deal_id: string;
  row_number: number;
  loan_id: string;
}
export interface FoundLoans {
  /**
   * The first 10.
   */
  rows: FoundLoan[];
  /**
   * Whether others are found too.
   */
  more: boolean;
  /**
   * Tapes in force, of the newest deals first, at most 20.
   */
  tapes_searched: number;
  /**
   * Tapes whose loans may have such ids too: name their deal to search them.
   */
  tapes_not_searched: number;
}
export interface FoundOrganization {
  /**
   * Identifier, `org_…`.
   */
  organization_id: string;
  name: string;
  status: string;
}
export interface FoundOrganizations {
  /**
   * The first 10.
   */
  rows: FoundOrganization[];
  /**
   * Whether others are found too.
   */
  more: boolean;
}
export interface FoundPool {
  /**
   * Identifier, `pool_…`.
   */
  pool_id: string;
  name: string;
  status: string;
}
export interface FoundPools {
  /**
   * The first 10.
   */
  rows: FoundPool[];
  /**
   * Whether others are found too.
   */
  more: boolean;
}
export interface IndexFixing {
  /**
   * First accrual day to which it applies.
   */
  date: string;
  /**
   * Index without margin, percent a year.
   */
  rate: number;
}
export interface InitiateBulkUpload {
  /**
   * Original name of the file.
   */
  fileName: string;
  fileFormat: TapeFormat;
  /**
   * Size in bytes; when given, the address is bound to it.
   */
  fileSize?: number;
}
export interface InitiateDocument {
  /**
   * A plain file name of at most 255 characters.
   */
  fileName: string;
  /**
   * Such as W9_FORM (the default) or OFFERING_MEMORANDUM.
   */
  documentType?: string;
  /**
   * Loan deal or securitization deal of your own.
   */
  dealId?: string;
  /**
   * Content type that the PUT will have; any by default.
   */
  contentType?: string;
}
export interface InitiateProfileDocument {
  /**
   * A plain file name of at most 255 characters.
   */
  fileName: string;
  documentType?: TaxForm;
  /**
   * Content type that the PUT will have; any by default.
   */
  contentType?: string;
}
export interface InitiateTape {
  loanType: LoanType;
  fileFormat: TapeFormat;
  /**
   * Original name of the file.
   */
  fileName: string;
  /**
   * Size in bytes; when given, the address is bound to it.
   */
  fileSize?: number;
  /**
   * Name of the deal; the file name by default.
   */
  name?: string;
}
export interface InitiateVersion {
  /**
   * Original name of the file.
   */
  fileName: string;
  fileFormat: TapeFormat;
  /**
   * Size in bytes; when given, the address is bound to it.
   */
  fileSize?: number;
  mode?: TapeMode;
}
export interface InitiatedPoolTape {
  /**
   * Identifier, `pool_…`.
   */
  pool_id: string;
  /**
   * Number of the payment period; the first is 1.
   */
  period: number;
  file_name: string;
  /**
   * Storage key of the file.
   */
  file_key: string;
  /**
   * Send the bytes here with PUT, without a key, before it expires.
   */
  upload_url: string;
  /**
   * Headers that the PUT must carry.
   */
  upload_headers: {
    /**
     * This interface was referenced by `undefined`'s JSON-Schema definition
     * via the `patternProperty` "^.*$".
     */
    [k: string]: string;
  };
  /**
   * When the address stops working: 15 minutes after it was made.
   */
  expires_at: string;
  /**
   * Largest file, in bytes.
   */
  max_bytes: number;
}
export interface InitiatedPoolTapeResponse {
  success: true;
  data: InitiatedPoolTape;
}
export interface InitiatedTape {
  /**
   * Identifier, `deal_…`.
   */
  id: string;
  /**
   * Identifier, `deal_…`.
   */
  deal_id: string;
  name: string;
  loan_type: LoanType;
  status: DealStatus;
  /**
   * Market status of the securitization deal that holds its loans; null before one is issued.
   */
  market_status: MarketStatus | null;
  /**
   * Accepted loans.
   */
  loan_count: number;
  /**
   * Balance of the accepted loans. In currency units, 2 decimals.
   */
  total_balance: number;
  tape_version: number | null;
  issue_counts: IssueCounts;
  /**
   * Instant, ISO 8601 UTC with milliseconds.
   */
  created_at: string;
  /**
   * Instant, ISO 8601 UTC with milliseconds.
   */
  updated_at: string;
  file_name: string;
  /**
   * Storage key of the file.
   */
  file_key: string;
  /**
   * Send the bytes here with PUT, without a key, before it expires.
   */
  upload_url: string;
  /**
   * Headers that the PUT must carry.
   */
  upload_headers: {
    /**
     * This interface was referenced by `undefined`'s JSON-Schema definition
     * via the `patternProperty` "^.*$".
     */
    [k: string]: string;
  };
  /**
   * When the address stops working: 15 minutes after it was made.
   */
  expires_at: string;
  /**
   * Largest file, in bytes.
   */
  max_bytes: number;
}
export interface InitiatedTapeResponse {
  success: true;
  data: InitiatedTape;
}
export interface Interest {
  /**
   * Amount of interest, at most the size of the deal. In currency units, at most 2 decimals.
   */
  interest_amount: number;
}
export interface InvestorCalculation {
  /**
   * Identifier, `deal_…`.
   */
  deal_id: string;
  /**
   * Identifier, `calc_…`.
   */
  calculation_id: string;
  type: CalculationType;
  purpose: CalculationPurpose;
  status: CalculationStatus;
  /**
   * As-of date.
   */
  as_of: string;
  /**
   * Where the calculation starts: from the state after a payment, with the loans of the closing tape rolled by their schedules and scaled to the reported pool balance, or from the closing date. Default: LATEST where `as_of` is given on or after the last applied payment date and no `settlement_date` before it, else CUT_OFF. Payment periods keep their numbers; vectors and curves count from the first projected month.
   */
  from: CalculationStart | number;
  opening: CalculationOpening | null;
  granularity: CalculationGranularity;
  /**
   * Version of the structure that it runs over.
   */
  structure_version: number;
  /**
   * Why it FAILED.
   */
  error: string | null;
  /**
   * Stable code of the failure.
   */
  error_code: string | null;
  /**
   * Instant, ISO 8601 UTC with milliseconds.
   */
  created_at: string;
  /**
   * Instant, ISO 8601 UTC with milliseconds.
   */
  completed_at: string | null;
  /**
   * Version of the engine; null before it has run.
   */
  engine_version: string | null;
  /**
   * Calendar date, YYYY-MM-DD.
   */
  settlement_date: string | null;
  /**
   * Calendar date, YYYY-MM-DD.
   */
  cut_off_date: string | null;
  assumptions: Assumptions | null;
  results: ScenarioResult[] | null;
  /**
   * Of a PRICE_TABLE, in the order of its prices or yields.
   */
  rows?: PriceRow[];
  /**
   * Assumptions that were made, and columns that were not read.
   */
  warnings: string[];
}
export interface InvestorCalculationResponse {
  success: true;
  data: InvestorCalculation;
}
export interface InvestorCalculationSummary {
  /**
   * Identifier, `deal_…`.
   */
  deal_id: string;
  /**
   * Identifier, `calc_…`.
   */
  calculation_id: string;
  type: CalculationType;
  purpose: CalculationPurpose;
  status: CalculationStatus;
  /**
   * As-of date.
   */
  as_of: string;
  /**
   * Where the calculation starts: from the state after a payment, with the loans of the closing tape rolled by their schedules and scaled to the reported pool balance, or from the closing date. Default: LATEST where `as_of` is given on or after the last applied payment date and no `settlement_date` before it, else CUT_OFF. Payment periods keep their numbers; vectors and curves count from the first projected month.
   */
  from: CalculationStart | number;
  opening: CalculationOpening | null;
  granularity: CalculationGranularity;
  /**
   * Version of the structure that it runs over.
   */
  structure_version: number;
  /**
   * Why it FAILED.
   */
  error: string | null;
  /**
   * Stable code of the failure.
   */
  error_code: string | null;
  /**
   * Instant, ISO 8601 UTC with milliseconds.
   */
  created_at: string;
  /**
   * Instant, ISO 8601 UTC with milliseconds.
   */
  completed_at: string | null;
}
export interface InvestorCalculationSummaryPage {
  success: true;
  data: InvestorCalculationSummary[];
  pagination: Pagination;
}
export interface InvestorCalculationSummaryResponse {
  success: true;
  data: InvestorCalculationSummary;
}
export interface InvestorCreditRisk {
  total: StratFigures;
  /**
   * Every numeric field that is not an amount, weighted by balance.
   */
  weighted_averages: WeightedAverage[];
  top_obligors: Concentration[] | null;
  top_states: Concentration[] | null;
  hhi: Herfindahl;
  /**
   * By days past due.
   */
  delinquency: DelinquencyBucket[];
  /**
   * Terms and ages are as of this date: the tape’s, or the pool’s cut-off.
   */
  as_of: string;
  engine_version: string;
}
export interface InvestorCreditRiskResponse {
  success: true;
  data: InvestorCreditRisk;
}
export interface InvestorProfile {
  /**
   * Identifier, `org_…`.
   */
  organization_id: string;
  organization: string;
  profile: ComplianceProfile | null;
  offerings: OfferingEligibility[];
  filing: ProfileDocument | null;
}
export interface OfferingEligibility {
  offering: Offering;
  result: CheckResult;
  /**
   * The checks that do not pass, with their reasons.
   */
  lacks: ComplianceCheck[];
}
export interface ProfileDocument {
  /**
   * Identifier, `doc_…`.
   */
  document_id: string;
  status: ProfileDocumentStatus;
  document_type: string;
  file_name: string;
  file_key: string;
  content_type: string;
  /**
   * Bytes.
   */
  size: number;
  /**
   * Of the content, lower-case hexadecimal.
   */
  sha256: string;
  /**
   * Incremented when the same name is filed again.
   */
  version: number;
  /**
   * Instant, ISO 8601 UTC with milliseconds.
   */
  created_at: string;
}
export interface InvestorProfileResponse {
  success: true;
  data: InvestorProfile;
}
export interface InvestorStrats {
  by: string;
  then_by: string | null;
  bands: number[] | null;
  then_bands: number[] | null;
  total: StratFigures;
  groups: StratGroup[];
  /**
   * Terms and ages are as of this date: the tape’s, or the pool’s cut-off.
   */
  as_of: string;
  engine_version: string;
}
export interface StratGroup {
  /**
   * Value, band or date; `(missing)` for loans without one.
   */
  key: string;
  /**
   * The band begins here.
   */
  lower: number | null;
  /**
   * The band ends below this.
   */
  upper: number | null;
  /**
   * Fraction of the balance, 6 decimals.
   */
  share: number;
  loan_count: number;
  /**
   * Current balance. In currency units, 2 decimals.
   */
  balance: number;
  /**
   * Balance over loans. In currency units, 2 decimals.
   */
  average_balance: number | null;
  /**
   * Balance-weighted averages: wac percent, wam months, wa_credit_score, …; loans without a value are left out; null when none has one.
   */
  averages: {
    /**
     * This interface was referenced by `undefined`'s JSON-Schema definition
     * via the `patternProperty` "^.*$".
     */
    [k: string]: number | null;
  };
  groups?: StratSubgroup[];
}
export interface StratSubgroup {
  /**
   * Value, band or date; `(missing)` for loans without one.
   */
  key: string;
  /**
   * The band begins here.
   */
  lower: number | null;
  /**
   * The band ends below this.
   */
  upper: number | null;
  /**
   * Fraction of the balance, 6 decimals.
   */
  share: number;
  loan_count: number;
  /**
   * Current balance. In currency units, 2 decimals.
   */
  balance: number;
  /**
   * Balance over loans. In currency units, 2 decimals.
   */
  average_balance: number | null;
  /**
   * Balance-weighted averages: wac percent, wam months, wa_credit_score, …; loans without a value are left out; null when none has one.
   */
  averages: {
    /**
     * This interface was referenced by `undefined`'s JSON-Schema definition
     * via the `patternProperty` "^.*$".
     */
    [k: string]: number | null;
  };
}
export interface InvestorStratsResponse {
  success: true;
  data: InvestorStrats;
}
export interface InvestorVintages {
  unit: VintageUnit;
  vintages: Vintage[];
  /**
   * Terms and ages are as of this date: the tape’s, or the pool’s cut-off.
   */
  as_of: string;
  engine_version: string;
}
export interface Vintage {
  /**
   * Month or quarter of origination.
   */
  vintage: string;
  loan_count: number;
  /**
   * Current balance. In currency units, 2 decimals.
   */
  balance: number;
  /**
   * Balance over loans. In currency units, 2 decimals.
   */
  average_balance: number | null;
  /**
   * Balance-weighted averages: wac percent, wam months, wa_credit_score, …; loans without a value are left out; null when none has one.
   */
  averages: {
    /**
     * This interface was referenced by `undefined`'s JSON-Schema definition
     * via the `patternProperty` "^.*$".
     */
    [k: string]: number | null;
  };
  /**
   * At origination. In currency units, 2 decimals.
   */
  original_balance: number;
  /**
   * Balance over original balance, 6 decimals.
   */
  factor: number | null;
  /**
   * 30 to 59 days past due. Percent.
   */
  delinquent_30: number | null;
  /**
   * 60 to 89 days past due. Percent.
   */
  delinquent_60: number | null;
  /**
   * 90 days and more past due. Percent.
   */
  delinquent_90: number | null;
  /**
   * Charged off. In currency units, 2 decimals.
   */
  charged_off: number | null;
  /**
   * Charged off, of the original balance. Percent.
   */
  loss_rate: number | null;
}
export interface InvestorVintagesResponse {
  success: true;
  data: InvestorVintages;
}
export interface Ioi {
  /**
   * Identifier, `ioi_…`.
   */
  ioi_id: string;
  status: IoiStatus;
  /**
   * Identifier, `deal_…`.
   */
  deal_id: string;
  /**
   * Amount of interest. In currency units, 2 decimals.
   */
  interest_amount: number;
  /**
   * Instant, ISO 8601 UTC with milliseconds.
   */
  created_at: string;
  /**
   * Instant, ISO 8601 UTC with milliseconds.
   */
  updated_at: string;
}
export interface IoiPage {
  success: true;
  data: Ioi[];
  pagination: Pagination;
}
export interface IoiResponse {
  success: true;
  data: Ioi;
}
export interface IssuedKey {
  /**
   * Identifier, `key_…`.
   */
  key_id: string;
  /**
   * Identifier, `org_…`.
   */
  organization_id: string;
  organization: string;
  role: Role;
  environment: Environment;
  requester: string;
  use_case: string;
  status: KeyStatus;
  /**
   * Instant, ISO 8601 UTC with milliseconds.
   */
  created_at: string;
  /**
   * Instant, ISO 8601 UTC with milliseconds.
   */
  expires_at: string;
  /**
   * Instant, ISO 8601 UTC with milliseconds.
   */
  revoked_at: string | null;
  rotated_from: string | null;
  /**
   * What the key is called.
   */
  label: string | null;
  /**
   * Its last request, to within a minute.
   */
  last_used_at: string | null;
  scopes: string[] | null;
  networks: string[] | null;
  /**
   * When its organization asked for another key in its place.
   */
  rotation_requested_at: string | null;
  rotation_reason: string | null;
  /**
   * Version of the API in which its requests are answered, unless they name another: that of its first call; null before it.
   */
  api_version: string | null;
  /**
   * The API key. Only this response shows it.
   */
  token?: string;
  secret_omitted?: boolean;
}
export interface IssuedKeyResponse {
  success: true;
  data: IssuedKey;
}
export interface KeptRequest {
  /**
   * The parameters that are kept; null where there are none.
   */
  query: {
    [k: string]: unknown;
  };
  /**
   * Size of the whole body as it was sent, where it was known.
   */
  bytes: number | null;
  /**
   * The fields that are kept; null where there are none.
   */
  body: {
    [k: string]: unknown;
  };
  /**
   * More than 16 KiB: the end is missing, also from the counts.
   */
  truncated: boolean;
  omitted: OmittedFields[];
  /**
   * Further paths that were left out.
   */
  omitted_more?: number;
  /**
   * Fields and parameters that the route does not have.
   */
  unknown_fields: number;
}
export interface OmittedFields {
  /**
   * Path in the schema.
   */
  path: string;
  reason: OmissionReason;
  /**
   * Values that were left out.
   */
  count: number;
}
export interface KeptResponse {
  /**
   * Size of the whole body as it was sent, where it was known.
   */
  bytes: number | null;
  /**
   * The fields that are kept; null where there are none.
   */
  body: {
    [k: string]: unknown;
  };
  /**
   * More than 16 KiB: the end is missing, also from the counts.
   */
  truncated: boolean;
  omitted: OmittedFields[];
  /**
   * Further paths that were left out.
   */
  omitted_more?: number;
}
export interface LeftOutDeal {
  /**
   * Identifier, `deal_…`.
   */
  deal_id: string;
  /**
   * The tranches whose positions are in none of the results.
   *
   * Items: Identifier, `trn_…`.
   */
  tranche_ids: string[];
  /**
   * Stable code of the reason.
   */
  code:
    | 'NO_MARK'
    | 'NO_YIELD'
    | 'NO_CALCULATION'
    | 'OTHER_BASIS'
    | 'CANNOT_RUN'
    | 'CALCULATION_FAILED'
    | 'CALCULATION_INTERRUPTED';
  reason: string;
}
export interface ListedLoanChange {
  loans: number;
  /**
   * Balance of the loans. In currency units, 2 decimals.
   */
  balance: number;
  /**
   * The first 1,000.
   */
  loan_ids: string[];
}
/**
 * Canonical fields of the loan type, with `row_number` (1 = first data row).
 */
export interface Loan1 {
  [k: string]: unknown;
}
export interface LoanApprovedData {
  deal_id: string;
  loan_type: string;
  approved_at: string;
  loan_count: number;
  total_balance: number;
}
export interface LoanApprovedMessage {
  event: 'loan.approved';
  /**
   * Time of the event; messages may arrive out of order.
   */
  timestamp: string;
  data: LoanApprovedData;
}
export interface LoanChange {
  loans: number;
  /**
   * Balance of the loans. In currency units, 2 decimals.
   */
  balance: number;
}
export interface LoanJob {
  /**
   * Identifier, `job_…`.
   */
  job_id: string;
  kind: LoanJobKind;
  /**
   * Deal whose tape is checked; null for a bulk job.
   */
  deal_id: string | null;
  status: JobStatus;
  progress: LoanJobProgress | null;
  /**
   * How often a worker has started it.
   */
  attempts: number;
  /**
   * Why it failed, in whole or in part; null otherwise.
   */
  error: string | null;
  /**
   * Instant, ISO 8601 UTC with milliseconds.
   */
  created_at: string;
  /**
   * When it ended; null while it has not.
   */
  completed_at: string | null;
}
/**
 * How far running checks have come in their stage, null before and after; the deals of a bulk job whose checks have ended.
 */
export interface LoanJobProgress {
  stage: CheckStage | null;
  done: number;
  total: number;
}
export interface LoanJobResponse {
  success: true;
  data: LoanJob;
}
export interface LoanOutcomePage {
  success: true;
  data: LoanOutcome[];
  pagination: Pagination;
}
export interface LoanPage {
  success: true;
  data: Loan1[];
  pagination: Pagination;
}
export interface LoanRejectedData {
  deal_id: string;
  loan_type: string;
  rejected_at: string;
  reason_code: string;
  reason: string;
}
export interface LoanRejectedMessage {
  event: 'loan.rejected';
  /**
   * Time of the event; messages may arrive out of order.
   */
  timestamp: string;
  data: LoanRejectedData;
}
export interface LoanResponse {
  success: true;
  data: Loan1;
}
export interface LoanRule {
  /**
   * unique in the set
   */
  id: string;
  description?: string;
  /**
   * a warn rule is reported and does not fail a loan; default fail
   */
  severity?: 'fail' | 'warn';
  waivable?: boolean;
  /**
   * A comparison {field | expr, op, value | value_field | value_set, factor?, on_missing?} or {all: []}, {any: []}, {not: {}}, {when: {}, then: {}}. op: eq, neq, gt, gte, lt, lte, between, in, not_in, is_null, not_null, before, after, on_or_before, on_or_after. Faults inside a rule give 422 with their path.
   */
  rule: {};
}
export interface LoggedRequest {
  request_id: string;
  /**
   * When it arrived, by the real clock, also where a sandbox has advanced its own.
   */
  at: string;
  /**
   * Milliseconds until its response was sent.
   */
  ms: number;
  method: string;
  /**
   * Without the query. A part that is no identifier is shown by its name in the reference.
   */
  path: string;
  /**
   * Of the response.
   */
  status: number;
  /**
   * Of an error.
   */
  code: string | null;
  /**
   * The key; null where a person acted.
   */
  key_id: string | null;
  /**
   * The member of the organization who was signed in; null where a key acted.
   */
  member_id: string | null;
  /**
   * Null also where it is more than letters, digits and . _ : -.
   */
  idempotency_key: string | null;
  /**
   * The response was the stored one of an earlier request with this Idempotency-Key.
   */
  replayed: boolean;
  /**
   * The deal that the request or its response names.
   */
  deal_id: string | null;
  /**
   * So many requests of yours before this one are missing from the log: it could not keep up, or could not be written.
   */
  dropped_before: number;
}
export interface LoggedRequestDetail {
  request_id: string;
  /**
   * When it arrived, by the real clock, also where a sandbox has advanced its own.
   */
  at: string;
  /**
   * Milliseconds until its response was sent.
   */
  ms: number;
  method: string;
  /**
   * Without the query. A part that is no identifier is shown by its name in the reference.
   */
  path: string;
  /**
   * Of the response.
   */
  status: number;
  /**
   * Of an error.
   */
  code: string | null;
  /**
   * The key; null where a person acted.
   */
  key_id: string | null;
  /**
   * The member of the organization who was signed in; null where a key acted.
   */
  member_id: string | null;
  /**
   * Null also where it is more than letters, digits and . _ : -.
   */
  idempotency_key: string | null;
  /**
   * The response was the stored one of an earlier request with this Idempotency-Key.
   */
  replayed: boolean;
  /**
   * The deal that the request or its response names.
   */
  deal_id: string | null;
  /**
   * So many requests of yours before this one are missing from the log: it could not keep up, or could not be written.
   */
  dropped_before: number;
  request: KeptRequest;
  response: KeptResponse;
  /**
   * Events of your organization that the request caused.
   */
  events: CausedEvent[];
  /**
   * Deliveries to your webhook subscriptions that the request queued, and what has become of them.
   */
  deliveries: CausedDelivery[];
  /**
   * Identifiers under which you follow the work that the request queued.
   */
  job_ids: string[];
  /**
   * Further events, deliveries and jobs: the first 100 of each are listed.
   */
  caused_more: number;
  /**
   * Earlier requests with the same id, newest first, at most 50.
   */
  earlier: EarlierRequest[];
  /**
   * How many there are.
   */
  earlier_count: number;
}
export interface LoggedRequestDetailResponse {
  success: true;
  data: LoggedRequestDetail;
}
export interface LoggedRequestPage {
  success: true;
  data: LoggedRequest[];
  pagination: Pagination;
}
export interface Mapping {
  mappings: MappedColumn[];
  /**
   * Columns with personal data: their values are encrypted and shown nowhere.
   */
  sealed: SealedColumn[];
  unmapped: string[];
  missing_required: string[];
  suggestions: MappingSuggestion[];
}
export interface MappingPreview {
  /**
   * All rows of the tape, rejected ones included.
   */
  rows: number;
  fields: PreviewField[];
  /**
   * At most 20.
   */
  sample: PreviewRow[];
  mapping: Mapping;
  decisions: string[];
  findings: PreviewFinding[];
}
export interface PreviewField {
  field: string;
  /**
   * The column that fills it now.
   */
  source_before: string | null;
  /**
   * The column that would fill it.
   */
  source_after: string | null;
  transform_after?: ColumnTransform;
  /**
   * Rows with another value or another state, those that follow included.
   */
  changed: number;
  /**
   * Rows whose text could not be read any more.
   */
  becomes_unreadable: number;
  /**
   * Rows that would lose their value without being unreadable.
   */
  becomes_missing: number;
  /**
   * Rows that would get a value and have none.
   */
  becomes_readable: number;
  /**
   * Why its values are counted and not shown.
   */
  withheld: string | null;
}
export interface PreviewRow {
  row_number: number;
  line: number;
  fields: PreviewCell[];
}
export interface PreviewCell {
  field: string;
  /**
   * The value now.
   */
  before: string | number | boolean | null;
  /**
   * The value that it would have.
   */
  after: string | number | boolean | null;
  outcome: PreviewOutcome;
  /**
   * The text that could not be read; null where it can be or is missing.
   */
  unreadable_text: string | null;
}
export interface PreviewFinding {
  rule_id: string;
  severity: FindingSeverity;
  message: string;
  field: string | null;
  column: string | null;
  line: number | null;
  actual: string | null;
  expected: string | null;
}
export interface MappingPreviewResponse {
  success: true;
  data: MappingPreview;
}
export interface MappingResponse {
  success: true;
  data: Mapping;
}
export interface MarkAlertsBefore {
  before: string;
  category?: string;
  status: AlertStatus;
}
export interface MarkAlertsById {
  /**
   * @minItems 1
   * @maxItems 100
   *
   * Items: Identifier, `alt_…`.
   */
  ids: string[];
  status: AlertStatus;
}
export interface MarkedAlerts {
  updated: number;
}
export interface MarkedAlertsResponse {
  success: true;
  data: MarkedAlerts;
}
export interface MarketDeal {
  /**
   * Identifier, `deal_…`.
   */
  id: string;
  /**
   * Identifier, `deal_…`.
   */
  deal_id: string;
  name: string;
  asset_type: LoanType;
  /**
   * Sum of the offered tranches. In currency units, 2 decimals.
   */
  dealSize: number;
  /**
   * Percent a year, weighted by original face: at the mark, else the coupon.
   */
  wa_yield: number;
  /**
   * Share of the offered face whose yield is known and in wa_yield, 0 to 1: a floater without a mark and a fixing has none.
   */
  wa_yield_coverage: number;
  /**
   * Weighted average life in years; null before a mark.
   */
  wal: number | null;
  originator: string;
  status: string;
  market_status: MarketStatus;
  /**
   * Offered tranches.
   */
  tranche_count: number;
  /**
   * Smallest denomination of an offered tranche. In currency units, 2 decimals.
   */
  minimum_investment: number | null;
  /**
   * Calendar date, YYYY-MM-DD.
   */
  closing_date: string;
  tranches: MarketTranche[];
  strats: CollateralSummary | null;
  performance?: MarketPerformance;
}
export interface MarketTranche {
  /**
   * Identifier, `trn_…`.
   */
  tranche_id: string;
  tranche: string;
  class: string;
  /**
   * Original face on offer; the deal size is its sum. In currency units, 2 decimals.
   */
  balance: number;
  /**
   * Outstanding face: face × factor. In currency units, 2 decimals.
   */
  current_balance: number;
  /**
   * Current balance over original face, 8 decimals.
   */
  factor: number;
  /**
   * Percent a year in the present accrual period; null where it is not known: of a floater before a fixing, of a coupon that the net rate of the loans limits while no report says that rate.
   */
  coupon: number | null;
  coupon_type: 'FIXED' | 'FLOATING';
  /**
   * Index that a floater follows.
   */
  index: string | null;
  /**
   * Margin of a floater over its index, basis points, where it is one number.
   */
  margin_bp: number | null;
  /**
   * Of a floater, what its index is multiplied with; below 0 of an inverse one.
   */
  multiplier: number | null;
  /**
   * Highest coupon, percent a year, where it is one number.
   */
  cap: number | null;
  /**
   * Lowest coupon, percent a year, where it is one number.
   */
  floor: number | null;
  /**
   * The coupon in words where it may differ from one accrual period to the next; null where it stays.
   */
  coupon_terms: string | null;
  /**
   * Rate of a floater in its present accrual period, percent a year; null without a fixing.
   */
  current_rate: number | null;
  rating: string | null;
  /**
   * 1 is paid first.
   */
  seniority: number;
  /**
   * Smallest amount. In currency units, 2 decimals.
   */
  denomination: number;
  /**
   * Step above the denomination. In currency units, 2 decimals.
   */
  increment: number;
  /**
   * Original face less live subscriptions. In currency units, 2 decimals.
   */
  remaining_capacity: number;
  /**
   * Years, at the mark.
   */
  wal: number | null;
  /**
   * Percent a year, at the mark.
   */
  yield: number | null;
  /**
   * Clean, per 100 of current balance, at the mark.
   */
  price: number | null;
}
/**
 * Present once a calculation of the deal was completed.
 */
export interface MarketPerformance {
  tranche_performance: TranchePeriod[];
  pool_metrics: PoolPeriod[];
}
export interface TranchePeriod {
  tranche: string;
  class: string;
  period: number;
  /**
   * Payment date.
   */
  date: string;
  /**
   * After the payment. In currency units, 2 decimals.
   */
  balance: number;
  /**
   * Balance over original balance, 8 decimals.
   */
  factor: number;
  /**
   * Interest paid. In currency units, 2 decimals.
   */
  interest_paid: number;
  /**
   * Principal paid. In currency units, 2 decimals.
   */
  principal_paid: number;
  /**
   * Interest due and not paid. In currency units, 2 decimals.
   */
  shortfall: number;
  /**
   * Pool and reserve less the tranches that rank equal or before, in percent of the pool.
   */
  credit_enhancement: number | null;
  /**
   * Pool less notes, in percent of the pool.
   */
  oc: number | null;
  /**
   * Identifier, `deal_…`.
   */
  deal_id: string;
  basis: PerformanceBasis;
  /**
   * The calculation that projects the deal.
   */
  calculation_id: string;
  /**
   * Identifier, `trn_…`.
   */
  tranche_id: string;
}
export interface PoolPeriod {
  period: number;
  /**
   * Payment date.
   */
  date: string;
  /**
   * Pool after the period. In currency units, 2 decimals.
   */
  pool_balance: number;
  loan_count: number | null;
  /**
   * Percent.
   */
  wac: number | null;
  /**
   * Months.
   */
  wam: number | null;
  /**
   * Percent a year.
   */
  cpr: number | null;
  /**
   * Percent a year.
   */
  cdr: number | null;
  /**
   * Percent of the original pool.
   */
  cumulative_net_loss: number;
  /**
   * Percent.
   */
  delinquent_30: number | null;
  /**
   * Percent.
   */
  delinquent_60: number | null;
  /**
   * Percent.
   */
  delinquent_90: number | null;
  /**
   * Loss in percent of the balance charged off.
   */
  severity: number | null;
  /**
   * Identifier, `deal_…`.
   */
  deal_id: string;
  basis: PerformanceBasis;
  /**
   * The calculation that projects the deal.
   */
  calculation_id: string;
}
export interface MarketDealResponse {
  success: true;
  data: MarketDeal;
}
export interface MarketDealSummary {
  /**
   * Identifier, `deal_…`.
   */
  id: string;
  /**
   * Identifier, `deal_…`.
   */
  deal_id: string;
  name: string;
  asset_type: LoanType;
  /**
   * Sum of the offered tranches. In currency units, 2 decimals.
   */
  dealSize: number;
  /**
   * Percent a year, weighted by original face: at the mark, else the coupon.
   */
  wa_yield: number;
  /**
   * Share of the offered face whose yield is known and in wa_yield, 0 to 1: a floater without a mark and a fixing has none.
   */
  wa_yield_coverage: number;
  /**
   * Weighted average life in years; null before a mark.
   */
  wal: number | null;
  originator: string;
  status: string;
  market_status: MarketStatus;
  /**
   * Offered tranches.
   */
  tranche_count: number;
  /**
   * Smallest denomination of an offered tranche. In currency units, 2 decimals.
   */
  minimum_investment: number | null;
  /**
   * Calendar date, YYYY-MM-DD.
   */
  closing_date: string;
}
export interface MarketDealSummaryPage {
  success: true;
  data: MarketDealSummary[];
  pagination: Pagination;
}
export interface MarketTranchePage {
  success: true;
  data: MarketTranche[];
  pagination: Pagination;
}
export interface Member {
  /**
   * Identifier, `mem_…`.
   */
  member_id: string;
  /**
   * In lower case. At the first sign-in the provider’s verified address finds the member.
   */
  email: string;
  name: string;
  /**
   * What the member may do in the organization.
   */
  rights: Right[];
  status: MemberStatus;
  /**
   * The member who invited this one, or `command line` for the command on the host.
   */
  invited_by: string;
  /**
   * Instant, ISO 8601 UTC with milliseconds.
   */
  created_at: string;
  /**
   * Instant, ISO 8601 UTC with milliseconds.
   */
  last_sign_in_at: string | null;
}
export interface MemberPage {
  success: true;
  data: Member[];
  pagination: Pagination;
}
export interface MemberResponse {
  success: true;
  data: Member;
}
export interface MessageResponse {
  success: true;
  message: string;
}
/**
 * Positions without the figure: they are left out of its mean.
 */
export interface MissingFigures {
  yield: number;
  spread: number;
  wal: number;
  duration: number;
}
export interface MoveDeal {
  /**
   * APPROVED, REJECTED or WITHDRAWN; an operator cannot move a deal to any other status: 409.
   */
  to: 'DRAFT' | 'IN_REVIEW' | 'QC_COMPLETED' | 'APPROVED' | 'REJECTED' | 'EXPIRED' | 'WITHDRAWN';
}
export interface MovedDeal {
  /**
   * Identifier, `deal_…`.
   */
  deal_id: string;
  status: string;
}
export interface MovedDealResponse {
  success: true;
  data: MovedDeal;
}
export interface NewApprovalPolicy {
  /**
   * People for each act; an act that is left out needs one.
   */
  acts: {
    /**
     * People whom the act needs.
     */
    DEAL_APPROVE?: number;
    /**
     * People whom the act needs.
     */
    DEAL_REJECT?: number;
    /**
     * People whom the act needs.
     */
    POOL_ISSUE?: number;
    /**
     * People whom the act needs.
     */
    ALLOCATE?: number;
    /**
     * People whom the act needs.
     */
    SETTLE?: number;
    /**
     * People whom the act needs.
     */
    MARK_PUBLISH?: number;
    /**
     * People whom the act needs.
     */
    PROFILE_SET?: number;
    /**
     * People whom the act needs.
     */
    WAIVER?: number;
    /**
     * People whom the act needs.
     */
    KEY_ISSUE?: number;
    /**
     * People whom the act needs.
     */
    REMITTANCE_ACCEPT?: number;
    /**
     * People whom the act needs.
     */
    POLICY_SET?: number;
    /**
     * People whom the act needs.
     */
    MEMBER_SET?: number;
  };
}
export interface NewBulkDeal {
  loanType: LoanType;
  name?: string;
  fileFormat?: TapeFormat;
  /**
   * Storage key from bulk/uploads.
   */
  fileKey?: string;
  /**
   * @maxItems 10000
   */
  loans?: {
    /**
     * This interface was referenced by `undefined`'s JSON-Schema definition
     * via the `patternProperty` "^.*$".
     */
    [k: string]: unknown;
  }[];
}
export interface NewBulkJob {
  /**
   * @maxItems 50
   */
  deals: NewBulkDeal[];
}
export interface NewCalculation {
  /**
   * Results in addition to cash flows: BREAKEVEN adds break-even CDRs, RISK a loss distribution, PRICE_TABLE the yields of a tranche at many prices, or its prices at many yields.
   */
  type: 'CASHFLOW' | 'PRICING' | 'BREAKEVEN' | 'SCENARIOS' | 'RISK' | 'PRICE_TABLE';
  /**
   * MARK: a PRICING calculation that the operator may publish. Default ANALYSIS.
   */
  purpose?: 'ANALYSIS' | 'MARK';
  /**
   * Where the calculation starts: from the state after a payment, with the loans of the closing tape rolled by their schedules and scaled to the reported pool balance, or from the closing date. Default: LATEST where `as_of` is given on or after the last applied payment date and no `settlement_date` before it, else CUT_OFF. Payment periods keep their numbers; vectors and curves count from the first projected month.
   */
  from?: CalculationStart | number;
  /**
   * As-of date. Default: the cut-off date; of a calculation that starts from a payment, its date.
   */
  as_of?: string;
  /**
   * WAL, price and yield count from here. Default: the closing date; of a calculation that starts from a payment, `as_of`.
   */
  settlement_date?: string;
  /**
   * Loan by loan, or groups of like loans. Default LOAN.
   */
  granularity?: 'LOAN' | 'REPLINE';
  assumptions?: Assumptions;
  /**
   * Scenarios. Default: one, `base`.
   *
   * @minItems 1
   * @maxItems 12
   */
  scenarios?: Scenario[];
  /**
   * Of a PRICE_TABLE: the tranche.
   */
  tranche?: string;
  /**
   * Clean prices per 100, by tranche. Default 100. Of a PRICE_TABLE: a list of prices.
   */
  prices?:
    | {
        /**
         * This interface was referenced by `undefined`'s JSON-Schema definition
         * via the `patternProperty` "^.*$".
         */
        [k: string]: number;
      }
    | number[];
  /**
   * Yields in percent, by tranche, in place of a price. Of a PRICE_TABLE: a list of yields, in place of prices.
   */
  yields?:
    | {
        /**
         * This interface was referenced by `undefined`'s JSON-Schema definition
         * via the `patternProperty` "^.*$".
         */
        [k: string]: number;
      }
    | number[];
  /**
   * Yield compounded twice a year (bond equivalent) or every month. Default BEY.
   */
  yield_basis?: 'BEY' | 'MONTHLY';
  benchmark_curve?: {
    /**
     * Date of the curve.
     */
    as_of?: string;
    /**
     * Par yields or zero rates. Default PAR.
     */
    kind?: 'PAR' | 'ZERO';
    /**
     * Points; linear between them, flat outside.
     *
     * @minItems 1
     * @maxItems 200
     */
    points: {
      /**
       * Maturity, years.
       */
      years: number;
      /**
       * Rate, percent a year.
       */
      rate: number;
    }[];
  };
  /**
   * Index rates by projected month; one holds until the next is given.
   */
  index_curves?: {
    /**
     * @minItems 1
     * @maxItems 1200
     *
     * This interface was referenced by `undefined`'s JSON-Schema definition
     * via the `patternProperty` "^.*$".
     */
    [k: string]: {
      /**
       * Projected month, 1 is the first after the cut-off or after the payment from which the calculation starts.
       */
      period: number;
      /**
       * Index, percent a year.
       */
      rate: number;
    }[];
  };
  risk?: RiskSettings;
  /**
   * Loans pay the payment of the tape instead of the one recomputed from balance, rate and remaining term. Default false.
   */
  use_scheduled_payment?: boolean;
}
/**
 * What differs from `assumptions`; a measure replaces its whole group.
 */
export interface Scenario {
  /**
   * Name, unique in the request.
   */
  scenario: string;
  /**
   * Prepayment, percent a year of the balance. A number, or values by month whose last persists.
   */
  cpr?: number | number[];
  /**
   * Prepayment, percent of the PSA curve (100 is the curve). A number, or values by month whose last persists.
   */
  psa?: number | number[];
  /**
   * Prepayment, percent of the original number of loans a month. A number, or values by month whose last persists.
   */
  abs?: number | number[];
  /**
   * Prepayment, percent a month of the balance. A number, or values by month whose last persists.
   */
  smm?: number | number[];
  /**
   * Default, percent a year of the balance. A number, or values by month whose last persists.
   */
  cdr?: number | number[];
  /**
   * Default, percent of the SDA curve (100 is the curve). A number, or values by month whose last persists.
   */
  sda?: number | number[];
  /**
   * Default, percent a month of the balance. A number, or values by month whose last persists.
   */
  mdr?: number | number[];
  /**
   * Loss, percent of the defaulted balance. A number, or values by month whose last persists.
   */
  severity?: number | number[];
  by?: VectorBasis;
  /**
   * Multiplies the default measure (charge_off of cards). A monthly rate never exceeds 1: a warning says where it was capped. Default 1.
   */
  multiple?: number;
  /**
   * Months from default to liquidation.
   */
  recovery_lag_months?: number;
  late_defaults?: LateDefaults;
  deferment_interest?: DefermentInterest;
  /**
   * The servicer pays the schedule of defaulted balance until liquidation.
   */
  servicer_advances?: boolean;
  /**
   * Credit cards: principal paid, percent a month of the balance. A number, or values by month whose last persists.
   */
  payment_rate?: number | number[];
  /**
   * Credit cards: finance charges and fees, percent a year of the balance. A number, or values by month whose last persists.
   */
  portfolio_yield?: number | number[];
  /**
   * Credit cards: balance charged off, percent a year. A number, or values by month whose last persists.
   */
  charge_off?: number | number[];
  cnl?: CumulativeNetLoss;
  /**
   * Parts of the pool with assumptions of their own. A loan is in the first segment whose condition it meets; if a condition before that cannot be decided, or it meets none, it is in none and has those of the request. A list in a scenario replaces that of the request, an empty one removes it.
   *
   * @maxItems 20
   */
  segments?: AssumptionSegment[];
  /**
   * 30 or more days delinquent, percent of the pool by projected month. A number, or values by month whose last persists.
   */
  delinquency_30?: number | number[];
  /**
   * 60 or more days delinquent, percent of the pool; read by triggers. A number, or values by month whose last persists.
   */
  delinquency?: number | number[];
  /**
   * 90 or more days delinquent, percent of the pool by projected month. A number, or values by month whose last persists.
   */
  delinquency_90?: number | number[];
  /**
   * Fees whose amount only a certificate says, by name of the fee: the amount of a payment period, or amounts by period whose last persists. Currency units.
   */
  billed_fees?: {
    /**
     * This interface was referenced by `undefined`'s JSON-Schema definition
     * via the `patternProperty` "^.*$".
     */
    [k: string]: number | number[];
  };
  /**
   * False omits the clean-up call. Default: as the structure says.
   */
  call?: boolean;
}
/**
 * Monte Carlo run of a RISK calculation.
 */
export interface RiskSettings {
  /**
   * Paths. Default 1,000.
   */
  paths?: number;
  /**
   * Seed of the generator. Default 1.
   */
  seed?: number;
  /**
   * What moves: a speed by a log-normal multiplier, severity on the logit scale.
   */
  factors?: {
    cpr?: RiskSigma;
    psa?: RiskSigma;
    abs?: RiskSigma;
    smm?: RiskSigma;
    prepayment?: RiskSigma;
    cdr?: RiskSigma;
    sda?: RiskSigma;
    mdr?: RiskSigma;
    default?: RiskSigma;
    severity?: RiskSigma;
  };
  /**
   * Correlation of the factors, rows and columns in the order in which `factors` lists them. Default: none.
   *
   * @minItems 1
   * @maxItems 10
   */
  correlation?: number[][];
  /**
   * Confidence levels of value at risk, as fractions. Default 0.95 and 0.99.
   *
   * @minItems 1
   * @maxItems 20
   */
  confidence?: number[];
}
export interface RiskSigma {
  /**
   * Standard deviation of the logarithm; of the logit for severity.
   */
  sigma: number;
}
export interface NewCriteriaSet {
  version?: 1;
  /**
   * of a set as it was read; ignored here
   */
  criteria_id?: {
    [k: string]: unknown;
  };
  /**
   * of a set as it was read; ignored here
   */
  created_at?: {
    [k: string]: unknown;
  };
  name?: string;
  /**
   * Loan type of the tape.
   */
  loan_type: 'Auto' | 'Personal' | 'Mortgage' | 'Student' | 'Business' | 'Credit Card';
  /**
   * cut-off date; date values may be written as_of, as_of-120d
   */
  as_of?: string;
  /**
   * what a rule does when it cannot be decided because a value is missing; default fail
   */
  missing_policy?: 'fail' | 'pass';
  /**
   * weight of pool tests; default current_balance
   */
  weight_field?: string;
  value_sets?: {
    /**
     * @maxItems 5000
     *
     * This interface was referenced by `undefined`'s JSON-Schema definition
     * via the `patternProperty` "^.*$".
     */
    [k: string]: (string | number | boolean)[];
  };
  /**
   * columns of the tape outside the dictionary, by normalised header
   */
  custom_fields?: {
    /**
     * how the source text is read
     *
     * This interface was referenced by `undefined`'s JSON-Schema definition
     * via the `patternProperty` "^.*$".
     */
    [k: string]: 'string' | 'number' | 'date';
  };
  /**
   * @maxItems 200
   */
  loan_rules: LoanRule[];
  /**
   * @maxItems 100
   */
  pool_tests?: PoolTest[];
}
export interface PoolTest {
  /**
   * unique in the set
   */
  id: string;
  description?: string;
  /**
   * what is measured
   */
  type: 'share' | 'concentration' | 'weighted_average' | 'average' | 'sum' | 'count' | 'min' | 'max' | 'hhi';
  /**
   * A comparison {field | expr, op, value | value_field | value_set, factor?, on_missing?} or {all: []}, {any: []}, {not: {}}, {when: {}, then: {}}. op: eq, neq, gt, gte, lt, lte, between, in, not_in, is_null, not_null, before, after, on_or_before, on_or_after. Faults inside a rule give 422 with their path.
   */
  where?: {};
  /**
   * @minItems 1
   * @maxItems 5
   */
  group_by?: string[];
  top?: number;
  exceptions?: {
    /**
     * This interface was referenced by `undefined`'s JSON-Schema definition
     * via the `patternProperty` "^.*$".
     */
    [k: string]: number;
  };
  /**
   * @minItems 1
   * @maxItems 1000
   */
  rank_limits?: number[];
  field?: string;
  weight?: string;
  missing_as?: number;
  /**
   * eligible: the loans that pass; default eligible
   */
  population?: 'eligible' | 'all';
  /**
   * how the measured figure is compared with the limit
   */
  op: 'lte' | 'lt' | 'gte' | 'gt' | 'between';
  value: number | number[];
  /**
   * a warn rule is reported and does not fail a loan; default fail
   */
  severity?: 'fail' | 'warn';
}
export interface NewFixing {
  /**
   * Name of the index, as structures of pools write it.
   */
  index: string;
  /**
   * Day of the fixing.
   */
  date: string;
  /**
   * Percent a year, at most 6 decimals.
   */
  rate: number;
}
export interface NewKey {
  /**
   * Name of the organization; one that differs only in case or appearance from another is refused.
   */
  organization: string;
  role: Role;
  environment: Environment;
  /**
   * Person who requested the key.
   */
  requester: string;
  /**
   * Purpose of the key.
   */
  use_case: string;
  /**
   * Life of the key; 90 days by default.
   */
  expires_in_days?: number;
  /**
   * The same as a duration: a number and s, m, h or d, such as 90d or 12h.
   */
  expires_in?: string;
  /**
   * What the key is called, such as the program that holds it.
   */
  label?: string;
  /**
   * What the key may do of what its role may: an area of the API and `read`, `write` or `*`. Absent: all of it.
   *
   * @minItems 1
   */
  scopes?: Scope[];
  /**
   * Networks that the key may be used from, such as 10.1.0.0/16 or 2001:db8::/32. Absent: any.
   *
   * @minItems 1
   * @maxItems 50
   */
  networks?: string[];
  /**
   * Compliance profile of a new organization: verified by default outside Production.
   */
  profile?: 'verified' | 'none';
}
export interface NewMember {
  /**
   * Address with which the person signs in.
   */
  email: string;
  /**
   * What people call the member.
   */
  name: string;
  /**
   * ADMIN: members, keys and webhooks. EDIT: changes records. APPROVE: issues, withdraws, subscribes, orders and accepts. VIEW: reads.
   *
   * @minItems 1
   */
  rights: Right[];
}
export interface NewOrder {
  /**
   * Tranche on offer.
   */
  tranche_id: string;
  /**
   * Requested amount. In currency units, at most 2 decimals.
   */
  amount: number;
  /**
   * Smallest fill that the order accepts; a smaller one drops out. In currency units, at most 2 decimals.
   */
  minimum_amount?: number | null;
  /**
   * Lowest yield that the order accepts, percent a year with at most 6 decimals, compounded as the tranche’s mark is: bond equivalent unless its calculation says MONTHLY.
   */
  limit_yield?: number | null;
}
export interface NewPledge {
  /**
   * To whom the loans are pledged.
   */
  pledgee: string;
  loan_type: LoanType;
  /**
   * Date of the pledge.
   */
  as_of: string;
  /**
   * All loans of the deal’s newest tape; instead of `loans`.
   */
  deal_id?: string;
  /**
   * Instead of `deal_id`.
   *
   * @minItems 1
   * @maxItems 100000
   */
  loans?: PledgedLoan[];
}
/**
 * A loan by exactly one of its numbers.
 */
export interface PledgedLoan {
  /**
   * Id on your tapes.
   */
  loan_id?: string;
  /**
   * Vehicle identification number.
   */
  vin?: string;
  /**
   * Contract number on your tapes.
   */
  contract_number?: string;
}
export interface NewPool {
  /**
   * Name of the pool; the securitization deal has it too.
   */
  name: string;
  /**
   * APPROVED loan deals of one loan type.
   *
   * @minItems 1
   * @maxItems 50
   *
   * Items: Identifier, `deal_…`.
   */
  deal_ids: string[];
  /**
   * Balances and terms are as of this date.
   */
  cut_off_date: string;
  /**
   * The notes are issued on this date; it may lie ahead.
   */
  closing_date: string;
  filter?: PoolFilter[] | null;
  /**
   * Only loans that passed these runs; all loans of a deal without a run are pooled.
   *
   * @maxItems 50
   *
   * Items: Identifier, `scj_…`.
   */
  sc_job_ids?: string[];
  /**
   * Exemption under which the notes are offered.
   */
  offering?: '144A' | '506C' | 'REG_S';
}
export interface NewPoolTape {
  /**
   * Number of the payment period; the first is 1.
   */
  period: number;
  /**
   * Original name of the file.
   */
  fileName: string;
  fileFormat: TapeFormat;
  /**
   * Size in bytes; when given, the address is bound to it.
   */
  fileSize?: number;
}
export interface NewPortfolioScenarios {
  /**
   * What differs from the assumptions of each deal’s mark.
   *
   * @minItems 1
   * @maxItems 12
   */
  scenarios: Scenario[];
  /**
   * Date of the business zone: the positions at its end. Default: today.
   */
  as_of?: string;
}
/**
 * Servicer report of one payment date.
 */
export interface NewRemittance {
  /**
   * Payment period, 1 is the first.
   */
  period: number;
  /**
   * Date of the payment.
   */
  payment_date: string;
  collateral: ReportedCollateral;
  /**
   * @minItems 1
   * @maxItems 50
   */
  tranches: ReportedTranche[];
  totals?: ReportedTotals;
  collection_period?: CollectionPeriod;
  available?: AvailableFunds;
  /**
   * Index of the period by name, without margin. Percent a year.
   */
  fixings?: {
    /**
     * This interface was referenced by `undefined`'s JSON-Schema definition
     * via the `patternProperty` "^.*$".
     */
    [k: string]: number;
  };
  /**
   * NET_WAC: the rate of the loans after fees. Percent a year.
   */
  rates?: {
    /**
     * This interface was referenced by `undefined`'s JSON-Schema definition
     * via the `patternProperty` "^.*$".
     */
    [k: string]: number;
  };
  /**
   * Accounts.
   *
   * @maxItems 20
   */
  accounts?: ReportedAccount[];
  /**
   * Fees.
   *
   * @maxItems 50
   */
  fees?: ReportedFee[];
  /**
   * Steps of the waterfall.
   *
   * @maxItems 200
   */
  steps?: ReportedStep[];
  /**
   * Declared triggers that go on or off.
   *
   * @maxItems 50
   */
  events?: ReportedTrigger[];
  /**
   * Triggers as the report has them.
   *
   * @maxItems 50
   */
  triggers?: ReportedTrigger[];
  call?: ReportedCall;
  /**
   * Paid to the holders of the residual by the waterfall. Currency units.
   */
  residual?: number;
}
export interface ReportedCollateral {
  /**
   * Pool before the period; `beginning_balance` is read too. Currency units.
   */
  beginning_pool_balance?: number;
  /**
   * The same as `beginning_pool_balance`. Currency units.
   */
  beginning_balance?: number;
  /**
   * Scheduled principal collected; it may be left out where `principal_collected` is given. Currency units.
   */
  scheduled_principal?: number;
  /**
   * Scheduled and prepaid principal in one figure, where the split is not reported; `cpr` is then null. Currency units.
   */
  principal_collected?: number;
  /**
   * Prepaid principal. Default 0. Currency units.
   */
  prepayments?: number;
  /**
   * Principal of loans bought back. Default 0. Currency units.
   */
  repurchases?: number;
  /**
   * Balance charged off. Default 0. Currency units.
   */
  gross_losses?: number;
  /**
   * Recoveries on loans charged off. Default 0. Currency units.
   */
  recoveries?: number;
  /**
   * Gross losses less recoveries; negative when more is recovered. Currency units.
   */
  net_losses?: number;
  /**
   * Pool after the period; `ending_balance` is read too. Currency units.
   */
  ending_pool_balance?: number;
  /**
   * The same as `ending_pool_balance`. Currency units.
   */
  ending_balance?: number;
  /**
   * Interest collected. Currency units.
   */
  interest?: number;
  /**
   * Fees paid. Currency units.
   */
  fees?: number;
  /**
   * Reserve accounts after the payment. Currency units.
   */
  reserve_balance?: number;
  /**
   * Loans after the period.
   */
  loan_count?: number;
  /**
   * Weighted average coupon a year. Percent.
   */
  wac?: number;
  /**
   * Weighted average remaining term, months.
   */
  wam?: number;
  /**
   * 30 to 59 days delinquent, of the ending balance. Percent.
   */
  delinquent_30?: number;
  /**
   * 60 to 89 days delinquent, of the ending balance. Percent.
   */
  delinquent_60?: number;
  /**
   * 90 days and more delinquent, of the ending balance. Percent.
   */
  delinquent_90?: number;
  /**
   * Balance 30 to 59 days delinquent. Currency units.
   */
  delinquent_30_amount?: number;
  /**
   * Balance 60 to 89 days delinquent. Currency units.
   */
  delinquent_60_amount?: number;
  /**
   * Balance 90 days and more delinquent. Currency units.
   */
  delinquent_90_amount?: number;
  /**
   * What the adjusted pool is less than the ending pool. Currency units.
   */
  adjustment?: number;
  /**
   * What the adjusted pool was less than the pool at the cut-off; once is enough. Currency units.
   */
  adjustment_original?: number;
  /**
   * The same as `beginning_pool_balance`.
   */
  opening?: number;
  /**
   * The same as `prepayments`.
   */
  prepayment?: number;
  /**
   * The same as `repurchases`.
   */
  repurchase?: number;
  /**
   * The same as `gross_losses`.
   */
  default?: number;
  /**
   * The same as `recoveries`.
   */
  recovery?: number;
  /**
   * The same as `ending_pool_balance`.
   */
  closing?: number;
}
export interface ReportedTranche {
  /**
   * Name of the tranche.
   */
  tranche: string;
  /**
   * Balance before the payment. Currency units.
   */
  beginning_balance?: number;
  /**
   * Interest of the period and interest unpaid before. Currency units.
   */
  interest_due?: number;
  /**
   * Interest paid. Currency units.
   */
  interest_paid: number;
  /**
   * Interest due and not paid. Default 0. Currency units.
   */
  interest_shortfall?: number;
  /**
   * Interest added to the balance. Default 0. Currency units.
   */
  accreted?: number;
  /**
   * Principal paid. Currency units.
   */
  principal_paid?: number;
  /**
   * Balance written off; negative when reinstated. Default 0. Currency units.
   */
  write_down?: number;
  /**
   * Balance after the payment. Currency units.
   */
  ending_balance?: number;
  /**
   * Coupon of the period. Percent a year.
   */
  rate?: number;
  /**
   * Interest that a cap had cut, paid. Currency units.
   */
  carry_over_paid?: number;
  /**
   * Interest that caps cut and that is still owed. Currency units.
   */
  carry_over_closing?: number;
  /**
   * Interest unpaid before the payment; read where the opening is the reported one. Currency units.
   */
  beginning_shortfall?: number;
  /**
   * Carry-over before the payment; read where the opening is the reported one. Currency units.
   */
  beginning_carry_over?: number;
  /**
   * The same as `beginning_balance`.
   */
  opening?: number;
  /**
   * The same as `principal_paid`.
   */
  principal?: number;
  /**
   * The same as `ending_balance`.
   */
  closing?: number;
}
export interface ReportedTotals {
  /**
   * Sum over the tranches. Currency units.
   */
  beginning_balance?: number;
  /**
   * Sum over the tranches. Currency units.
   */
  interest_paid?: number;
  /**
   * Sum over the tranches. Currency units.
   */
  principal_paid?: number;
  /**
   * Sum over the tranches. Currency units.
   */
  ending_balance?: number;
}
export interface ReportedAccount {
  /**
   * Account.
   */
  account: string;
  /**
   * Before the payment. Currency units.
   */
  opening?: number;
  /**
   * Income. Currency units.
   */
  earned?: number;
  /**
   * Paid for steps that were short. Currency units.
   */
  draw?: number;
  /**
   * Topped up. Currency units.
   */
  deposit?: number;
  /**
   * Released. Currency units.
   */
  release?: number;
  /**
   * After the payment. Currency units.
   */
  closing?: number;
}
export interface ReportedFee {
  /**
   * Fee.
   */
  fee: string;
  /**
   * Due, with what was unpaid before. Currency units.
   */
  due?: number;
  /**
   * Paid. Currency units.
   */
  paid?: number;
  /**
   * Unpaid before; read where the opening is the reported one. Currency units.
   */
  beginning_unpaid?: number;
}
export interface ReportedStep {
  /**
   * Step.
   */
  step: string;
  /**
   * Paid, with what was drawn for it. Currency units.
   */
  amount: number;
}
export interface ReportedTrigger {
  /**
   * Trigger.
   */
  trigger: string;
  /**
   * Whether it is on.
   */
  on: boolean;
}
export interface ReportedCall {
  /**
   * Whether the pool is called.
   */
  exercised: boolean;
  /**
   * Price that was paid. Currency units.
   */
  proceeds?: number;
}
export interface NewSubscription {
  /**
   * Amount to commit. In currency units, at most 2 decimals.
   */
  subscription_amount: number;
  /**
   * Tranche; by default the most senior one on offer.
   */
  tranche_id?: string;
}
export interface NewWaiver {
  /**
   * @minItems 1
   * @maxItems 10000
   */
  loan_ids: string[];
  rule_id: string;
  reason: string;
}
export interface NewWebhookSubscription {
  /**
   * Address of the receiver: http or https (in production https only), at most 2,048 characters, port 80, 443 or at least 1024, without user, password, fragment or control characters.
   */
  url: string;
  /**
   * Names of the events to send. Duplicates are merged.
   *
   * @minItems 1
   * @maxItems 100
   */
  events?: EventName[];
}
export interface NotificationAddress {
  email: string;
  /**
   * Types, or `digest`, that the person at this address has unsubscribed from by the link in an e-mail. To undo it, remove the address and add it again.
   */
  unsubscribed: string[];
  /**
   * When the mail server last accepted an e-mail to it.
   */
  last_sent_at: string | null;
  last_error: NotificationError | null;
}
export interface NotificationError {
  /**
   * Instant, ISO 8601 UTC with milliseconds.
   */
  at: string;
  /**
   * What the mail server replied, or what went wrong.
   */
  message: string;
  /**
   * True: the e-mail was given up. False: it is tried again.
   */
  permanent: boolean;
}
export interface NotificationPreferences {
  /**
   * Who gets the e-mails. Addresses that are given twice count once.
   *
   * @maxItems 20
   */
  emails: string[];
  digest: NotificationDigest;
  /**
   * Alerts of these priorities are sent at once. HIGH and CRITICAL until you choose.
   *
   * @maxItems 10
   */
  immediate: AlertPriority[];
  /**
   * Types of alerts that are sent by e-mail; the alerts themselves are always raised.
   */
  types: {
    /**
     * This interface was referenced by `undefined`'s JSON-Schema definition
     * via the `patternProperty` "^.*$".
     */
    [k: string]: boolean;
  };
  delivery: NotificationDelivery;
  addresses: NotificationAddress[];
  /**
   * Null: nothing was ever set, and these are the defaults.
   */
  updated_at: string | null;
}
export interface NotificationPreferencesResponse {
  success: true;
  data: NotificationPreferences;
}
/**
 * A fee that is due once.
 */
export interface OneOffFee {
  /**
   * Payment period in which it is due.
   */
  period: number;
  /**
   * Fee. Currency units.
   */
  amount: number;
}
export interface OperatorAllocation {
  /**
   * Identifier, `all_…`.
   */
  allocation_id: string;
  /**
   * Identifier, `deal_…`.
   */
  deal_id: string;
  /**
   * Identifier, `trn_…`.
   */
  tranche_id: string;
  /**
   * Identifier, `ord_…`.
   */
  order_id: string | null;
  /**
   * Identifier, `sub_…`.
   */
  subscription_id: string | null;
  /**
   * Requested amount. In currency units, 2 decimals.
   */
  requested_amount: number;
  /**
   * Allocated amount. In currency units, 2 decimals.
   */
  allocated_amount: number;
  /**
   * Allocated over requested amount, from 0 to 1.
   */
  fill_ratio: number;
  /**
   * Percent a year.
   */
  yield: number | null;
  /**
   * Clean, per 100 of current balance, fixed when the allocation is issued: the price of the trade.
   */
  price: number | null;
  method: AllocationMethod;
  /**
   * Why the fill has this amount.
   */
  reason: string;
  status: AllocationStatus;
  /**
   * Accept or decline before.
   */
  expires_at: string;
  /**
   * Identifier, `trd_…`.
   */
  trade_id: string | null;
  /**
   * Instant, ISO 8601 UTC with milliseconds.
   */
  created_at: string;
  /**
   * Instant, ISO 8601 UTC with milliseconds.
   */
  decided_at: string | null;
  /**
   * Identifier, `org_…`.
   */
  organization_id: string;
}
export interface OperatorAllocationPage {
  success: true;
  data: OperatorAllocation[];
  pagination: Pagination;
}
export interface OperatorAllocationResponse {
  success: true;
  data: OperatorAllocation;
}
export interface OperatorAuditEntry {
  /**
   * Identifier, `aud_…`.
   */
  id: string;
  /**
   * Who acted: a key or a member, yours or the operator’s, or a part of the platform.
   */
  actor: string;
  /**
   * The name of the member, or the label or requester of the key; null for a part of the platform, and for who acts for another organization than yours.
   */
  actor_name: string | null;
  action: string;
  entity_type: string;
  entity_id: string;
  before: unknown;
  after: unknown;
  reason: string | null;
  /**
   * Instant, ISO 8601 UTC with milliseconds.
   */
  at: string;
  /**
   * sha-256 over the entry and the hash of the one before it in the log of the platform.
   */
  hash: string;
  sequence: number;
  /**
   * Identifier, `org_…`.
   */
  organization_id: string;
  previous_hash: string;
}
export interface OperatorAuditEntryPage {
  success: true;
  data: OperatorAuditEntry[];
  pagination: Pagination;
}
export interface OperatorAuditEntryResponse {
  success: true;
  data: OperatorAuditEntry;
}
export interface OperatorDealSummary {
  /**
   * Identifier, `deal_…`.
   */
  id: string;
  /**
   * Identifier, `deal_…`.
   */
  deal_id: string;
  name: string;
  loan_type: LoanType;
  status: DealStatus;
  /**
   * Market status of the securitization deal that holds its loans; null before one is issued.
   */
  market_status: MarketStatus | null;
  /**
   * Accepted loans.
   */
  loan_count: number;
  /**
   * Balance of the accepted loans. In currency units, 2 decimals.
   */
  total_balance: number;
  tape_version: number | null;
  issue_counts: IssueCounts;
  /**
   * Instant, ISO 8601 UTC with milliseconds.
   */
  created_at: string;
  /**
   * Instant, ISO 8601 UTC with milliseconds.
   */
  updated_at: string;
  kind: DealKind;
  /**
   * Identifier, `org_…`.
   */
  organization_id: string;
}
export interface OperatorDealSummaryPage {
  success: true;
  data: OperatorDealSummary[];
  pagination: Pagination;
}
export interface OperatorDealSummaryResponse {
  success: true;
  data: OperatorDealSummary;
}
export interface OperatorDeliverySummary {
  /**
   * Identifier, `dlv_…`.
   */
  id: string;
  /**
   * The same as `id`.
   */
  delivery_id: string;
  /**
   * Identifier, `whs_…`.
   */
  subscription_id: string;
  /**
   * Identifier, `evt_…`.
   */
  event_id: string;
  event: EventName;
  kind: DeliveryKind;
  status: DeliveryStatus;
  /**
   * Status of the response; null without a response.
   */
  http_status: number | null;
  /**
   * Why it is FAILED: http_status, redirect, dns, refused, unreachable, timeout, tls, blocked, reset, invalid_response, secret_unreadable, subscription_disabled, subscription_deleted, event_expired, abandoned.
   */
  error: string | null;
  attempts: number;
  /**
   * When it will be retried; null when it will not.
   */
  next_attempt_at: string | null;
  /**
   * The delivery that this one replays.
   */
  replay_of: string | null;
  /**
   * Instant, ISO 8601 UTC with milliseconds.
   */
  created_at: string;
  /**
   * Identifier, `org_…`.
   */
  organization_id: string;
  deal_id: string | null;
}
export interface OperatorDeliverySummaryPage {
  success: true;
  data: OperatorDeliverySummary[];
  pagination: Pagination;
}
export interface OperatorDeliverySummaryResponse {
  success: true;
  data: OperatorDeliverySummary;
}
export interface OperatorFoundDeal {
  /**
   * Identifier, `deal_…`.
   */
  deal_id: string;
  /**
   * Identifier, `org_…`.
   */
  organization_id: string;
  kind: DealKind;
  name: string;
  /**
   * Of a securitization deal that on the market.
   */
  status: string;
}
export interface OperatorFoundDeals {
  /**
   * The first 10.
   */
  rows: OperatorFoundDeal[];
  /**
   * Whether others are found too.
   */
  more: boolean;
}
export interface OperatorFoundLoan {
  /**
   * Identifier, `deal_…`.
   */
  deal_id: string;
  /**
   * Identifier, `org_…`.
   */
  organization_id: string;
  row_number: number;
  loan_id: string;
}
export interface OperatorFoundLoans {
  /**
   * The first 10.
   */
  rows: OperatorFoundLoan[];
  /**
   * Whether others are found too.
   */
  more: boolean;
  /**
   * Tapes in force, of the newest deals first, at most 20.
   */
  tapes_searched: number;
  /**
   * Tapes whose loans may have such ids too: name their deal to search them.
   */
  tapes_not_searched: number;
}
export interface OperatorFoundPool {
  /**
   * Identifier, `pool_…`.
   */
  pool_id: string;
  /**
   * Identifier, `org_…`.
   */
  organization_id: string;
  name: string;
  status: string;
}
export interface OperatorFoundPools {
  /**
   * The first 10.
   */
  rows: OperatorFoundPool[];
  /**
   * Whether others are found too.
   */
  more: boolean;
}
export interface OperatorIoi {
  /**
   * Identifier, `ioi_…`.
   */
  ioi_id: string;
  status: IoiStatus;
  /**
   * Identifier, `deal_…`.
   */
  deal_id: string;
  /**
   * Amount of interest. In currency units, 2 decimals.
   */
  interest_amount: number;
  /**
   * Instant, ISO 8601 UTC with milliseconds.
   */
  created_at: string;
  /**
   * Instant, ISO 8601 UTC with milliseconds.
   */
  updated_at: string;
  /**
   * Identifier, `org_…`.
   */
  organization_id: string;
  organization: string;
}
export interface OperatorIoiPage {
  success: true;
  data: OperatorIoi[];
  pagination: Pagination;
}
export interface OperatorIoiResponse {
  success: true;
  data: OperatorIoi;
}
export interface OperatorLoanJob {
  /**
   * Identifier, `org_…`.
   */
  organization_id: string;
  /**
   * Identifier, `job_…`.
   */
  job_id: string;
  kind: LoanJobKind;
  /**
   * Deal whose tape is checked; null for a bulk job.
   */
  deal_id: string | null;
  status: JobStatus;
  progress: LoanJobProgress | null;
  /**
   * How often a worker has started it.
   */
  attempts: number;
  /**
   * Why it failed, in whole or in part; null otherwise.
   */
  error: string | null;
  /**
   * Instant, ISO 8601 UTC with milliseconds.
   */
  created_at: string;
  /**
   * When it ended; null while it has not.
   */
  completed_at: string | null;
}
export interface OperatorLoanJobPage {
  success: true;
  data: OperatorLoanJob[];
  pagination: Pagination;
}
export interface OperatorLoanJobResponse {
  success: true;
  data: OperatorLoanJob;
}
export interface OperatorOrder {
  /**
   * Identifier, `ord_…`.
   */
  order_id: string;
  status: OrderStatus;
  /**
   * Identifier, `deal_…`.
   */
  deal_id: string;
  /**
   * Identifier, `trn_…`.
   */
  tranche_id: string;
  /**
   * Requested amount. In currency units, 2 decimals.
   */
  amount: number;
  /**
   * Smallest fill that the order accepts. In currency units, 2 decimals.
   */
  minimum_amount: number | null;
  /**
   * Lowest yield that the order accepts, percent a year; null: at market.
   */
  limit_yield: number | null;
  compliance_check_result: ComplianceResult;
  compliance_checks: ComplianceCheck[];
  /**
   * How the order was filled, or why it ended.
   */
  reason: string | null;
  /**
   * Time priority: where bids tie, the earlier one comes first.
   */
  placed_at: string;
  /**
   * Instant, ISO 8601 UTC with milliseconds.
   */
  created_at: string;
  /**
   * Instant, ISO 8601 UTC with milliseconds.
   */
  updated_at: string;
  /**
   * Identifier, `org_…`.
   */
  organization_id: string;
}
export interface OperatorOrderPage {
  success: true;
  data: OperatorOrder[];
  pagination: Pagination;
}
export interface OperatorOrderResponse {
  success: true;
  data: OperatorOrder;
}
export interface OperatorPayment {
  /**
   * Identifier, `pay_…`.
   */
  payment_id: string;
  holder: PaymentHolder;
  /**
   * Identifier, `deal_…`.
   */
  deal_id: string;
  /**
   * Identifier, `trn_…`.
   */
  tranche_id: string;
  tranche: string;
  /**
   * The report that paid it.
   */
  remittance_id: string;
  /**
   * Payment period, 1 is the first.
   */
  period: number;
  /**
   * Date of the payment; of a restatement, the business date of its booking.
   */
  payment_date: string;
  /**
   * The business day before the payment date of the period: whoever held the face at its end is paid.
   */
  record_date: string;
  /**
   * Original face held at the end of the record date. In currency units, 2 decimals.
   */
  face: number;
  /**
   * Negative where a restatement takes interest back. In currency units, 2 decimals.
   */
  interest: number;
  /**
   * Negative where a restatement takes principal back. In currency units, 2 decimals.
   */
  principal: number;
  /**
   * Balance written off; negative when reinstated. In currency units, 2 decimals.
   */
  writedown: number;
  /**
   * Of a restatement, the factor before it.
   */
  factor_before: number;
  /**
   * Balance over original balance of the tranche after the payment.
   */
  factor_after: number;
  /**
   * The payment that this one corrects by a difference; null for a payment of its own, and where the period was applied before payments were booked.
   */
  restates: string | null;
  /**
   * Instant, ISO 8601 UTC with milliseconds.
   */
  created_at: string;
  /**
   * Identifier, `org_…`.
   */
  organization_id: string;
}
export interface OperatorPaymentPage {
  success: true;
  data: OperatorPayment[];
  pagination: Pagination;
}
export interface OperatorPaymentResponse {
  success: true;
  data: OperatorPayment;
}
export interface OperatorPledge {
  /**
   * Identifier, `plg_…`.
   */
  pledge_id: string;
  /**
   * To whom the loans are pledged.
   */
  pledgee: string;
  loan_type: LoanType;
  /**
   * Calendar date, YYYY-MM-DD.
   */
  as_of: string;
  /**
   * The deal all of whose loans are pledged; null for a list of loans.
   */
  deal_id: string | null;
  status: PledgeStatus;
  /**
   * Loans of the deal, or rows of the list that are loans of your tapes.
   */
  matched: number;
  /**
   * Rows of the list that are no loan of your tapes. Vehicles among them are watched by their VIN; ids and contract numbers cannot be.
   */
  unmatched: number;
  /**
   * Instant, ISO 8601 UTC with milliseconds.
   */
  created_at: string;
  /**
   * Instant, ISO 8601 UTC with milliseconds.
   */
  updated_at: string;
  /**
   * Instant, ISO 8601 UTC with milliseconds.
   */
  released_at: string | null;
  /**
   * Identifier, `org_…`.
   */
  organization_id: string;
}
export interface OperatorPledgeConflict {
  /**
   * Identifier, `plc_…`.
   */
  conflict_id: string;
  loan_type: LoanType;
  status: ConflictStatus;
  /**
   * Loans that are held twice.
   */
  count: number;
  /**
   * Their current balance. In currency units, 2 decimals.
   */
  balance: number;
  /**
   * How the loans met: by fingerprints (`vin`, `property`, `contract_number`, `invoice`), or by `loan_id` within one organization.
   */
  met: Meeting[];
  /**
   * Pools that hold the loans.
   *
   * Items: Identifier, `pool_…`.
   */
  pools: string[];
  /**
   * Pledges outside the platform that name the loans.
   *
   * Items: Identifier, `plg_…`.
   */
  pledges: string[];
  /**
   * Instant, ISO 8601 UTC with milliseconds.
   */
  first_seen: string;
  /**
   * Instant, ISO 8601 UTC with milliseconds.
   */
  updated_at: string;
  /**
   * When it was resolved or cleared.
   */
  ended_at: string | null;
  /**
   * Both holders.
   */
  sides: PledgeConflictSide[];
  /**
   * Key of the operator that resolved it.
   */
  resolved_by: string | null;
  /**
   * Reason of the operator. The owners do not see it.
   */
  reason: string | null;
}
export interface PledgeConflictSide {
  /**
   * Identifier, `org_…`.
   */
  organization_id: string;
  /**
   * Pools that hold the loans.
   *
   * Items: Identifier, `pool_…`.
   */
  pools: string[];
  /**
   * Pledges outside the platform that name the loans.
   *
   * Items: Identifier, `plg_…`.
   */
  pledges: string[];
  /**
   * Loans that are held twice.
   */
  count: number;
  /**
   * Their current balance. In currency units, 2 decimals.
   */
  balance: number;
  /**
   * How the loans met: by fingerprints (`vin`, `property`, `contract_number`, `invoice`), or by `loan_id` within one organization.
   */
  met: Meeting[];
}
export interface OperatorPledgeConflictLoan {
  /**
   * Null for a vehicle that a pledge names and no tape has.
   */
  loan_id: string | null;
  /**
   * Current balance. In currency units, 2 decimals.
   */
  balance: number | null;
  /**
   * How the loans met: by fingerprints (`vin`, `property`, `contract_number`, `invoice`), or by `loan_id` within one organization.
   */
  met: Meeting[];
  /**
   * The pool that holds the loan.
   */
  pool_id: string | null;
  /**
   * The pledge that names the loan.
   */
  pledge_id: string | null;
  /**
   * Identifier, `org_…`.
   */
  organization_id: string;
  /**
   * The loans of the two sides that met have the same number.
   */
  pair: number;
}
export interface OperatorPledgeConflictLoanPage {
  success: true;
  data: OperatorPledgeConflictLoan[];
  pagination: Pagination;
}
export interface OperatorPledgeConflictPage {
  success: true;
  data: OperatorPledgeConflict[];
  pagination: Pagination;
}
export interface OperatorPledgeConflictResponse {
  success: true;
  data: OperatorPledgeConflict;
}
export interface OperatorPledgePage {
  success: true;
  data: OperatorPledge[];
  pagination: Pagination;
}
export interface OperatorPledgeResponse {
  success: true;
  data: OperatorPledge;
}
export interface OperatorPoolSummary {
  /**
   * Identifier, `pool_…`.
   */
  pool_id: string;
  name: string;
  status: PoolStatus;
  /**
   * Items: Identifier, `deal_…`.
   */
  deal_ids: string[];
  loan_type: LoanType;
  loan_count: number;
  /**
   * Current balance of the loans. In currency units, 2 decimals.
   */
  balance: number;
  /**
   * Balance-weighted rate, percent a year; loans without a rate are left out.
   */
  wac: number | null;
  /**
   * Balance-weighted remaining term, months; null for cards.
   */
  wam: number | null;
  /**
   * Calendar date, YYYY-MM-DD.
   */
  cut_off_date: string;
  /**
   * Calendar date, YYYY-MM-DD.
   */
  closing_date: string;
  offering: Offering;
  /**
   * When the originator requested the issue.
   */
  issue_requested_at: string | null;
  /**
   * The securitization deal, once issued.
   */
  deal_id: string | null;
  /**
   * Instant, ISO 8601 UTC with milliseconds.
   */
  created_at: string;
  /**
   * Instant, ISO 8601 UTC with milliseconds.
   */
  updated_at: string;
  /**
   * Identifier, `org_…`.
   */
  organization_id: string;
}
export interface OperatorPoolSummaryPage {
  success: true;
  data: OperatorPoolSummary[];
  pagination: Pagination;
}
export interface OperatorPoolSummaryResponse {
  success: true;
  data: OperatorPoolSummary;
}
export interface OperatorProfileDocument {
  /**
   * Identifier, `doc_…`.
   */
  document_id: string;
  status: ProfileDocumentStatus;
  document_type: string;
  file_name: string;
  file_key: string;
  content_type: string;
  /**
   * Bytes.
   */
  size: number;
  /**
   * Of the content, lower-case hexadecimal.
   */
  sha256: string;
  /**
   * Incremented when the same name is filed again.
   */
  version: number;
  /**
   * Instant, ISO 8601 UTC with milliseconds.
   */
  created_at: string;
  /**
   * Identifier, `org_…`.
   */
  organization_id: string;
  organization: string;
}
export interface OperatorProfileDocumentPage {
  success: true;
  data: OperatorProfileDocument[];
  pagination: Pagination;
}
export interface OperatorProfileDocumentResponse {
  success: true;
  data: OperatorProfileDocument;
}
export interface OperatorRecordAccess {
  /**
   * Owner of the record.
   */
  organization_id: string;
  /**
   * Identifier, `org_…`.
   */
  reader_id: string;
  /**
   * Name of the organization that read.
   */
  reader: string;
  /**
   * The key; null where a person acted.
   */
  key_id: string | null;
  /**
   * The member of the organization who was signed in; null where a key acted.
   */
  member_id: string | null;
  act: AccessAct;
  /**
   * deal, pool or job.
   */
  entity_type: string;
  entity_id: string;
  /**
   * The part of the record, such as loans.
   */
  what: string;
  /**
   * Of loans: the fields, and the format and number of a file.
   */
  details: {
    /**
     * This interface was referenced by `undefined`'s JSON-Schema definition
     * via the `patternProperty` "^.*$".
     */
    [k: string]: unknown;
  };
  /**
   * Instant, ISO 8601 UTC with milliseconds.
   */
  at: string;
}
export interface OperatorRecordAccessPage {
  success: true;
  data: OperatorRecordAccess[];
  pagination: Pagination;
}
export interface OperatorRemittance {
  /**
   * Identifier, `rem_…`.
   */
  remittance_id: string;
  /**
   * Identifier, `pool_…`.
   */
  pool_id: string;
  /**
   * Identifier, `deal_…`.
   */
  deal_id: string;
  /**
   * Payment period, 1 is the first.
   */
  period: number;
  /**
   * Calendar date, YYYY-MM-DD.
   */
  payment_date: string;
  status: RemittanceStatus;
  /**
   * Versions of the report so far; each restatement adds one.
   */
  version: number;
  basis: 'ACTUAL';
  /**
   * The report, under the field names of servicer reports.
   */
  report: {
    [k: string]: unknown;
  };
  pool: PoolPerformance;
  tranches: TranchePerformance[];
  triggers: TriggerStatus[];
  verification: Verification;
  /**
   * When the operator signed off its differences; null where it has not.
   */
  accepted_at: string | null;
  /**
   * Why.
   */
  accepted_reason: string | null;
  /**
   * When balances, factors and payments followed it; null until then.
   */
  applied_at: string | null;
  /**
   * When its figures were last replaced; null where they never were.
   */
  restated_at: string | null;
  /**
   * Instant, ISO 8601 UTC with milliseconds.
   */
  created_at: string;
  /**
   * Instant, ISO 8601 UTC with milliseconds.
   */
  updated_at: string;
  /**
   * The owner of the deal.
   */
  organization_id: string;
  pool_name: string;
}
/**
 * A pool on one payment date; null for figures that are not reported or not projected.
 */
export interface PoolPerformance {
  period: number;
  /**
   * Payment date.
   */
  date: string;
  /**
   * Pool after the period. In currency units, 2 decimals.
   */
  pool_balance: number;
  loan_count: number | null;
  /**
   * Percent.
   */
  wac: number | null;
  /**
   * Months.
   */
  wam: number | null;
  /**
   * Percent a year.
   */
  cpr: number | null;
  /**
   * Percent a year.
   */
  cdr: number | null;
  /**
   * Percent of the original pool.
   */
  cumulative_net_loss: number;
  /**
   * Percent.
   */
  delinquent_30: number | null;
  /**
   * Percent.
   */
  delinquent_60: number | null;
  /**
   * Percent.
   */
  delinquent_90: number | null;
  /**
   * Loss in percent of the balance charged off.
   */
  severity: number | null;
}
export interface TranchePerformance {
  tranche: string;
  class: string;
  period: number;
  /**
   * Payment date.
   */
  date: string;
  /**
   * After the payment. In currency units, 2 decimals.
   */
  balance: number;
  /**
   * Balance over original balance, 8 decimals.
   */
  factor: number;
  /**
   * Interest paid. In currency units, 2 decimals.
   */
  interest_paid: number;
  /**
   * Principal paid. In currency units, 2 decimals.
   */
  principal_paid: number;
  /**
   * Interest due and not paid. In currency units, 2 decimals.
   */
  shortfall: number;
  /**
   * Pool and reserve less the tranches that rank equal or before, in percent of the pool.
   */
  credit_enhancement: number | null;
  /**
   * Pool less notes, in percent of the pool.
   */
  oc: number | null;
}
export interface TriggerStatus {
  trigger: string;
  on: boolean;
  newly_on: boolean;
  tests: TriggerTestStatus[];
}
export interface TriggerTestStatus {
  metric: string;
  /**
   * Percent; null when the report does not have it.
   */
  actual: number | null;
  op: string;
  /**
   * Percent; null where the period has none.
   */
  threshold: number | null;
  breached: boolean;
  /**
   * Distance to the threshold in percent points; negative beyond it.
   */
  headroom: number | null;
  /**
   * Change of the headroom since the previous report.
   */
  trend: 'IMPROVING' | 'WORSENING' | 'FLAT' | null;
  /**
   * The figures of the last reports, oldest first, at most three.
   */
  history: (number | null)[];
}
export interface Verification {
  status: VerificationStatus;
  lines: VerificationLine[];
  /**
   * Paths of the inputs without which nothing could be computed.
   */
  missing: string[];
  /**
   * Fixings on the platform’s record that stand in for those of the report, which gives neither `fixings` nor the `rate` of the floater; absent where there are none.
   */
  recorded_fixings?: RecordedFixing[];
}
export interface VerificationLine {
  what: VerificationFigure;
  /**
   * Name of the tranche.
   */
  tranche?: string;
  /**
   * Path of the figure in the report.
   */
  path: string;
  /**
   * Money; 1 or 0 of a trigger; a date.
   */
  reported: number | string;
  /**
   * What follows from the structure and the cash reported; null where an input is missing.
   */
  expected: number | string | null;
  /**
   * Reported less expected: money, or days of a date.
   */
  difference: number | null;
  /**
   * Step of the waterfall that pays it.
   */
  step: string | null;
  /**
   * Where the documents say it.
   */
  clause: string | null;
}
export interface RecordedFixing {
  /**
   * Name of the index.
   */
  index: string;
  /**
   * Day of the fixing.
   */
  date: string;
  /**
   * Percent a year.
   */
  rate: number;
}
export interface OperatorRemittancePage {
  success: true;
  data: OperatorRemittance[];
  pagination: Pagination;
}
export interface OperatorRemittanceResponse {
  success: true;
  data: OperatorRemittance;
}
export interface OperatorSearchAnswer {
  q: string;
  deals: OperatorFoundDeals;
  pools: OperatorFoundPools;
  organizations: FoundOrganizations;
  loans: OperatorFoundLoans;
}
export interface OperatorSearchAnswerResponse {
  success: true;
  data: OperatorSearchAnswer;
}
export interface OperatorSubscription {
  /**
   * Identifier, `sub_…`.
   */
  subscription_id: string;
  status: SubscriptionStatus;
  /**
   * Identifier, `deal_…`.
   */
  deal_id: string;
  /**
   * Identifier, `trn_…`.
   */
  tranche_id: string;
  /**
   * Amount committed. In currency units, 2 decimals.
   */
  subscription_amount: number;
  compliance_check_result: ComplianceResult;
  compliance_checks: ComplianceCheck[];
  /**
   * Identifier, `ioi_…`.
   */
  ioi_id: string | null;
  /**
   * When the operator confirmed it.
   */
  confirmed_at: string | null;
  /**
   * When face was first allotted to it.
   */
  allocated_at: string | null;
  /**
   * When the first cash leg of its trades was confirmed.
   */
  funded_at: string | null;
  /**
   * When the last of its trades settled, or the last that was open beside a settled one ended.
   */
  settled_at: string | null;
  /**
   * Why it ended; null while it has not.
   */
  reason: string | null;
  /**
   * Time priority: where bids tie, the earlier one comes first. That of the creation, or of the last raise.
   */
  placed_at: string;
  /**
   * Instant, ISO 8601 UTC with milliseconds.
   */
  created_at: string;
  /**
   * Instant, ISO 8601 UTC with milliseconds.
   */
  updated_at: string;
  /**
   * Identifier, `org_…`.
   */
  organization_id: string;
}
export interface OperatorSubscriptionPage {
  success: true;
  data: OperatorSubscription[];
  pagination: Pagination;
}
export interface OperatorSubscriptionResponse {
  success: true;
  data: OperatorSubscription;
}
export interface OperatorTrade {
  /**
   * Identifier, `trd_…`.
   */
  trade_id: string;
  /**
   * Identifier, `deal_…`.
   */
  deal_id: string;
  /**
   * Identifier, `trn_…`.
   */
  tranche_id: string;
  /**
   * Identifier, `all_…`.
   */
  allocation_id: string;
  side: 'BUY';
  /**
   * Original face. In currency units, 2 decimals.
   */
  face: number;
  /**
   * Current balance over original balance of the tranche.
   */
  factor: number;
  /**
   * Clean, per 100 of current face.
   */
  price: number;
  /**
   * Percent a year.
   */
  yield: number | null;
  /**
   * Current face at the price. In currency units, 2 decimals.
   */
  principal_amount: number;
  /**
   * Interest from the dated date to settlement; 0 while the coupon is not known, such as of a floater before a fixing, and by the coupon of its accrual when it settles. In currency units, 2 decimals.
   */
  accrued_interest: number;
  /**
   * Principal amount and accrued interest: the cash that moves. In currency units, 2 decimals.
   */
  net_amount: number;
  /**
   * Calendar date, YYYY-MM-DD.
   */
  trade_date: string;
  /**
   * The later of the closing date and the business day after the trade.
   */
  settlement_date: string;
  status: TradeStatus;
  reason: string | null;
  /**
   * Instant, ISO 8601 UTC with milliseconds.
   */
  settled_at: string | null;
  /**
   * Instant, ISO 8601 UTC with milliseconds.
   */
  created_at: string;
  /**
   * Instant, ISO 8601 UTC with milliseconds.
   */
  updated_at: string;
  /**
   * Identifier, `org_…`.
   */
  organization_id: string;
}
export interface OperatorTradePage {
  success: true;
  data: OperatorTrade[];
  pagination: Pagination;
}
export interface OperatorTradeResponse {
  success: true;
  data: OperatorTrade;
}
export interface Order {
  /**
   * Identifier, `ord_…`.
   */
  order_id: string;
  status: OrderStatus;
  /**
   * Identifier, `deal_…`.
   */
  deal_id: string;
  /**
   * Identifier, `trn_…`.
   */
  tranche_id: string;
  /**
   * Requested amount. In currency units, 2 decimals.
   */
  amount: number;
  /**
   * Smallest fill that the order accepts. In currency units, 2 decimals.
   */
  minimum_amount: number | null;
  /**
   * Lowest yield that the order accepts, percent a year; null: at market.
   */
  limit_yield: number | null;
  compliance_check_result: ComplianceResult;
  compliance_checks: ComplianceCheck[];
  /**
   * How the order was filled, or why it ended.
   */
  reason: string | null;
  /**
   * Time priority: where bids tie, the earlier one comes first.
   */
  placed_at: string;
  /**
   * Instant, ISO 8601 UTC with milliseconds.
   */
  created_at: string;
  /**
   * Instant, ISO 8601 UTC with milliseconds.
   */
  updated_at: string;
}
export interface OrderPage {
  success: true;
  data: Order[];
  pagination: Pagination;
}
export interface OrderResponse {
  success: true;
  data: Order;
}
export interface OrderStatusChangedData {
  order_id: string;
  deal_id: string;
  tranche_id: string;
  amount: number;
  previous_status: string;
  current_status: string;
}
export interface OrderStatusChangedMessage {
  event: 'order.status_changed';
  /**
   * Time of the event; messages may arrive out of order.
   */
  timestamp: string;
  data: OrderStatusChangedData;
}
export interface Organization {
  /**
   * Identifier, `org_…`.
   */
  organization_id: string;
  name: string;
  roles: Role[];
  environments: Environment[];
  status: OrganizationStatus;
  profile: ComplianceProfile | null;
  /**
   * Instant, ISO 8601 UTC with milliseconds.
   */
  created_at: string;
}
export interface OrganizationPage {
  success: true;
  data: Organization[];
  pagination: Pagination;
}
export interface OrganizationResponse {
  success: true;
  data: Organization;
}
export interface Payment {
  /**
   * Identifier, `pay_…`.
   */
  payment_id: string;
  holder: PaymentHolder;
  /**
   * Identifier, `deal_…`.
   */
  deal_id: string;
  /**
   * Identifier, `trn_…`.
   */
  tranche_id: string;
  tranche: string;
  /**
   * The report that paid it.
   */
  remittance_id: string;
  /**
   * Payment period, 1 is the first.
   */
  period: number;
  /**
   * Date of the payment; of a restatement, the business date of its booking.
   */
  payment_date: string;
  /**
   * The business day before the payment date of the period: whoever held the face at its end is paid.
   */
  record_date: string;
  /**
   * Original face held at the end of the record date. In currency units, 2 decimals.
   */
  face: number;
  /**
   * Negative where a restatement takes interest back. In currency units, 2 decimals.
   */
  interest: number;
  /**
   * Negative where a restatement takes principal back. In currency units, 2 decimals.
   */
  principal: number;
  /**
   * Balance written off; negative when reinstated. In currency units, 2 decimals.
   */
  writedown: number;
  /**
   * Of a restatement, the factor before it.
   */
  factor_before: number;
  /**
   * Balance over original balance of the tranche after the payment.
   */
  factor_after: number;
  /**
   * The payment that this one corrects by a difference; null for a payment of its own, and where the period was applied before payments were booked.
   */
  restates: string | null;
  /**
   * Instant, ISO 8601 UTC with milliseconds.
   */
  created_at: string;
}
export interface PaymentMadeData {
  deal_id: string;
  period: number;
  payment_date: string;
  /**
   * Sum of the payments; negative where a restatement takes it back.
   */
  interest: number;
  /**
   * Sum of the payments.
   */
  principal: number;
  /**
   * Sum of the payments.
   */
  writedown: number;
  /**
   * What each tranche paid that the receiver held at the end of the record date.
   */
  payments: {
    payment_id: string;
    tranche_id: string;
    tranche: string;
    face: number;
    interest: number;
    principal: number;
    writedown: number;
    factor_before: number;
    factor_after: number;
    /**
     * The payment that this one corrects.
     */
    restates: string | null;
  }[];
}
export interface PaymentMadeMessage {
  event: 'payment.made';
  /**
   * Time of the event; messages may arrive out of order.
   */
  timestamp: string;
  data: PaymentMadeData;
}
export interface PaymentPage {
  success: true;
  data: Payment[];
  pagination: Pagination;
}
/**
 * Payment dates and accrual.
 */
export interface PaymentTerms {
  /**
   * First payment date before adjustment. Default: `payment_day` of the month after the cut-off, or later after closing.
   */
  first_payment_date?: string;
  /**
   * Day of the month of the later dates; 31 is the last day. Default: the day of the first, else 15.
   */
  payment_day?: number;
  /**
   * How often the deal pays. Default MONTHLY.
   */
  frequency?: 'MONTHLY' | 'QUARTERLY' | 'SEMI_ANNUAL' | 'ANNUAL';
  /**
   * How a date on a holiday moves. Default FOLLOWING.
   */
  business_day?: 'NONE' | 'FOLLOWING' | 'MODIFIED_FOLLOWING';
  /**
   * Holidays. Default US_FED.
   */
  calendar?: 'US_FED' | 'TARGET' | 'WEEKENDS';
  /**
   * Interest accrues from here. Default: the closing date.
   */
  dated_date?: string;
  /**
   * First accrual: a whole period of 30-day months, or the days from the dated date. Default FULL.
   */
  first_accrual?: 'FULL' | 'ACTUAL';
  /**
   * Payment date k distributes collateral month k less this. Default 0.
   */
  delay_months?: number;
  /**
   * Collateral months that the first payment date distributes. Default: the months between payments.
   */
  first_collection_months?: number;
  rounding?: PaymentRounding;
}
export interface PendingApproval {
  /**
   * Identifier, `apr_…`.
   */
  approval_id: string;
  act: ApprovalAct;
  status: 'PENDING';
  /**
   * People whom the act needs.
   */
  needed: number;
  /**
   * People who have asked for or approved it; a key is none.
   */
  given: number;
  /**
   * Afterwards it cannot be approved any more.
   */
  expires_at: string;
}
export interface PendingApprovalResponse {
  success: true;
  data: PendingApproval;
}
export interface PerformancePeriod {
  /**
   * Payment period, 1 is the first.
   */
  period: number;
  basis: PerformanceSource;
  /**
   * Payment date; null for a period beyond the calendar of the deal.
   */
  payment_date: string | null;
  /**
   * Pool before the period. In currency units, 2 decimals.
   */
  opening: number;
  /**
   * Scheduled principal; null where it is reported together with prepaid principal. In currency units, 2 decimals.
   */
  scheduled: number | null;
  /**
   * Prepaid principal; null where it is reported together with scheduled principal. In currency units, 2 decimals.
   */
  prepaid: number | null;
  /**
   * Scheduled and prepaid principal together. In currency units, 2 decimals.
   */
  principal_collected: number;
  /**
   * Principal of loans bought back. In currency units, 2 decimals.
   */
  repurchased: number;
  /**
   * Balance charged off. In currency units, 2 decimals.
   */
  defaulted: number;
  /**
   * Recoveries on loans charged off. TAPE: of the report where the tape has none; null where neither has them. In currency units, 2 decimals.
   */
  recovered: number | null;
  /**
   * TAPE: increases of balances, as of capitalised interest and draws, and balances of loans that had ended. CERTIFICATE: what the other figures leave open. In currency units, 2 decimals.
   */
  adjustment: number;
  /**
   * Pool after the period: opening less principal collected, repurchased and defaulted, with the adjustment. In currency units, 2 decimals.
   */
  closing: number;
  /**
   * Closing over the original pool, 8 decimals.
   */
  factor: number | null;
  /**
   * Prepayments, percent a year; null where scheduled and prepaid principal are one figure.
   */
  cpr: number | null;
  /**
   * Prepayments of a month in percent of the original number of loans. CERTIFICATE: null, because a number of loans does not say which were prepaid and which paid off, charged off or bought back.
   */
  abs: number | null;
  /**
   * Charge-offs, percent a year.
   */
  cdr: number | null;
  /**
   * Net losses so far in percent of the original pool.
   */
  cnl: number;
  /**
   * Net loss in percent of the balance charged off; null without a charge-off.
   */
  severity: number | null;
  /**
   * 30 to 59 days delinquent, percent of closing; null where it is not reported.
   */
  delinquent_30: number | null;
  /**
   * 60 to 89 days delinquent, percent of closing; null where it is not reported.
   */
  delinquent_60: number | null;
  /**
   * Delinquent, percent of closing; null where it is not reported. TAPE: 90 to 119 days. CERTIFICATE: 90 days and more.
   */
  delinquent_90: number | null;
  /**
   * 120 days and more delinquent, percent of closing. CERTIFICATE: null, because reports have them in `delinquent_90`.
   */
  delinquent_120: number | null;
  /**
   * Moves of loans between states. CERTIFICATE: empty, because a report does not follow single loans.
   */
  roll: PeriodRoll[];
  /**
   * Loans after the period; null where it is not reported.
   */
  count: number | null;
  projected: ProjectedPeriod | null;
  /**
   * Figures of the tape beside those of the servicer report. CERTIFICATE: empty, because there is no tape.
   */
  ties: PerformanceTie[];
  /**
   * Items: What a figure leaves out, or takes from elsewhere.
   */
  notes: string[];
}
export interface PeriodRoll {
  from: RollState;
  to: RollState;
  /**
   * Percent of the balance that was in `from` before the period.
   */
  percent: number;
  /**
   * Loans that moved so.
   */
  count: number;
}
/**
 * The period as it was projected from the cut-off date: by the calculation whose marks were published first, else by the first made for marks, else by the first. Null without one, and beyond its last period.
 */
export interface ProjectedPeriod {
  /**
   * The calculation that projects it.
   */
  calculation_id: string;
  /**
   * Pool after the period over the original pool, 8 decimals.
   */
  factor: number | null;
  /**
   * Percent a year.
   */
  cpr: number | null;
  /**
   * Percent of the original pool.
   */
  cnl: number;
}
export interface PerformanceTie {
  /**
   * Name of the figure.
   */
  figure: string;
  /**
   * As the tape has it.
   */
  tape: number | null;
  /**
   * As the servicer report has it.
   */
  certificate: number | null;
  /**
   * Tape less certificate.
   */
  difference: number | null;
}
export interface PerformancePeriodListResponse {
  success: true;
  data: PerformancePeriod[];
}
export interface PeriodTrace {
  period: number;
  /**
   * Payment date.
   */
  date: string;
  /**
   * Interest available to the waterfall. In currency units, 2 decimals.
   */
  interest_collected: number;
  /**
   * Principal available to the waterfall. In currency units, 2 decimals.
   */
  principal_collected: number;
  /**
   * Proceeds of the clean-up call. In currency units, 2 decimals.
   */
  call_proceeds: number;
  called: boolean;
  /**
   * Performing balance before the period. In currency units, 2 decimals.
   */
  pool_beginning: number;
  /**
   * Performing balance after it. In currency units, 2 decimals.
   */
  pool_current: number;
  triggers: TraceTrigger[];
  steps: TraceStep[];
  accounts: TraceAccount[];
}
export interface TraceTrigger {
  trigger: string;
  on: boolean;
  tests: TraceTest[];
}
export interface TraceTest {
  metric: string;
  value: number | null;
  op: string;
  threshold: number | null;
  breached: boolean;
}
export interface TraceStep {
  /**
   * Place in the waterfall from 1; null for the redemption on a call.
   */
  step: number | null;
  /**
   * Name in the structure.
   */
  name?: string | null;
  /**
   * Where the documents say it.
   */
  clause?: string | null;
  pay: string;
  to: string[];
  when: string | null;
  unless: string | null;
  /**
   * False when its trigger kept the step from paying.
   */
  active: boolean;
  available: number;
  due: number;
  paid: number;
  drawn: number;
  shortfall: number;
}
export interface TraceAccount {
  account: string;
  /**
   * Before the payment. In currency units, 2 decimals.
   */
  opening?: number;
  /**
   * Income of the period. In currency units, 2 decimals.
   */
  earned?: number;
  /**
   * Paid for steps that were short. In currency units, 2 decimals.
   */
  drawn?: number;
  /**
   * Topped up. In currency units, 2 decimals.
   */
  deposited?: number;
  /**
   * Above the target, to the pot or outside the steps. In currency units, 2 decimals.
   */
  released?: number;
  /**
   * After the payment. In currency units, 2 decimals.
   */
  closing: number;
}
export interface PeriodTraceListResponse {
  success: true;
  data: PeriodTrace[];
}
export interface Pledge {
  /**
   * Identifier, `plg_…`.
   */
  pledge_id: string;
  /**
   * To whom the loans are pledged.
   */
  pledgee: string;
  loan_type: LoanType;
  /**
   * Calendar date, YYYY-MM-DD.
   */
  as_of: string;
  /**
   * The deal all of whose loans are pledged; null for a list of loans.
   */
  deal_id: string | null;
  status: PledgeStatus;
  /**
   * Loans of the deal, or rows of the list that are loans of your tapes.
   */
  matched: number;
  /**
   * Rows of the list that are no loan of your tapes. Vehicles among them are watched by their VIN; ids and contract numbers cannot be.
   */
  unmatched: number;
  /**
   * Instant, ISO 8601 UTC with milliseconds.
   */
  created_at: string;
  /**
   * Instant, ISO 8601 UTC with milliseconds.
   */
  updated_at: string;
  /**
   * Instant, ISO 8601 UTC with milliseconds.
   */
  released_at: string | null;
}
export interface PledgeConflict {
  /**
   * Identifier, `plc_…`.
   */
  conflict_id: string;
  loan_type: LoanType;
  status: ConflictStatus;
  /**
   * Loans that are held twice.
   */
  count: number;
  /**
   * Their current balance. In currency units, 2 decimals.
   */
  balance: number;
  /**
   * How the loans met: by fingerprints (`vin`, `property`, `contract_number`, `invoice`), or by `loan_id` within one organization.
   */
  met: Meeting[];
  /**
   * Pools that hold the loans.
   *
   * Items: Identifier, `pool_…`.
   */
  pools: string[];
  /**
   * Pledges outside the platform that name the loans.
   *
   * Items: Identifier, `plg_…`.
   */
  pledges: string[];
  /**
   * Instant, ISO 8601 UTC with milliseconds.
   */
  first_seen: string;
  /**
   * Instant, ISO 8601 UTC with milliseconds.
   */
  updated_at: string;
  /**
   * When it was resolved or cleared.
   */
  ended_at: string | null;
}
export interface PledgeConflictData {
  conflict_id: string;
  loan_type: string;
  /**
   * Loans of the receiver’s own side.
   */
  count: number;
  balance: number;
  /**
   * How they met: loan_id, vin, property, contract_number, invoice.
   */
  met: string[];
  /**
   * The receiver’s own pools; of both sides for the operator.
   */
  pools: string[];
  /**
   * The receiver’s own pledges outside the platform.
   */
  pledges: string[];
  first_seen: string;
}
export interface PledgeConflictLoan {
  /**
   * Null for a vehicle that a pledge names and no tape has.
   */
  loan_id: string | null;
  /**
   * Current balance. In currency units, 2 decimals.
   */
  balance: number | null;
  /**
   * How the loans met: by fingerprints (`vin`, `property`, `contract_number`, `invoice`), or by `loan_id` within one organization.
   */
  met: Meeting[];
  /**
   * The pool that holds the loan.
   */
  pool_id: string | null;
  /**
   * The pledge that names the loan.
   */
  pledge_id: string | null;
}
export interface PledgeConflictLoanPage {
  success: true;
  data: PledgeConflictLoan[];
  pagination: Pagination;
}
export interface PledgeConflictMessage {
  event: 'pledge.conflict';
  /**
   * Time of the event; messages may arrive out of order.
   */
  timestamp: string;
  data: PledgeConflictData;
}
export interface PledgeConflictPage {
  success: true;
  data: PledgeConflict[];
  pagination: Pagination;
}
export interface PledgeConflictResponse {
  success: true;
  data: PledgeConflict;
}
export interface PledgePage {
  success: true;
  data: Pledge[];
  pagination: Pagination;
}
export interface PledgeResponse {
  success: true;
  data: Pledge;
}
export interface Pool {
  /**
   * Identifier, `pool_…`.
   */
  pool_id: string;
  name: string;
  status: PoolStatus;
  /**
   * Items: Identifier, `deal_…`.
   */
  deal_ids: string[];
  loan_type: LoanType;
  loan_count: number;
  /**
   * Current balance of the loans. In currency units, 2 decimals.
   */
  balance: number;
  /**
   * Balance-weighted rate, percent a year; loans without a rate are left out.
   */
  wac: number | null;
  /**
   * Balance-weighted remaining term, months; null for cards.
   */
  wam: number | null;
  /**
   * Calendar date, YYYY-MM-DD.
   */
  cut_off_date: string;
  /**
   * Calendar date, YYYY-MM-DD.
   */
  closing_date: string;
  offering: Offering;
  /**
   * When the originator requested the issue.
   */
  issue_requested_at: string | null;
  /**
   * The securitization deal, once issued.
   */
  deal_id: string | null;
  /**
   * Instant, ISO 8601 UTC with milliseconds.
   */
  created_at: string;
  /**
   * Instant, ISO 8601 UTC with milliseconds.
   */
  updated_at: string;
  /**
   * Loan rules that every loan of the pool meets, or null.
   */
  filter: {
    [k: string]: unknown;
  };
  /**
   * Items: Identifier, `scj_…`.
   */
  sc_job_ids: string[];
  /**
   * Deal → version of its tape.
   */
  tape_versions: {
    /**
     * This interface was referenced by `undefined`'s JSON-Schema definition
     * via the `patternProperty` "^.*$".
     */
    [k: string]: number;
  };
  /**
   * Values that the tapes lack, and what is used instead.
   */
  warnings: string[];
  fingerprinted: Fingerprinted | null;
  /**
   * The structure as it was sent, or null.
   */
  structure: {
    [k: string]: unknown;
  };
  /**
   * Incremented with every new structure; 0 before the first.
   */
  structure_version: number;
  last_remittance: Remittance | null;
}
export interface Remittance {
  /**
   * Identifier, `rem_…`.
   */
  remittance_id: string;
  /**
   * Identifier, `pool_…`.
   */
  pool_id: string;
  /**
   * Identifier, `deal_…`.
   */
  deal_id: string;
  /**
   * Payment period, 1 is the first.
   */
  period: number;
  /**
   * Calendar date, YYYY-MM-DD.
   */
  payment_date: string;
  status: RemittanceStatus;
  /**
   * Versions of the report so far; each restatement adds one.
   */
  version: number;
  basis: 'ACTUAL';
  /**
   * The report, under the field names of servicer reports.
   */
  report: {
    [k: string]: unknown;
  };
  pool: PoolPerformance;
  tranches: TranchePerformance[];
  triggers: TriggerStatus[];
  verification: Verification;
  /**
   * When the operator signed off its differences; null where it has not.
   */
  accepted_at: string | null;
  /**
   * Why.
   */
  accepted_reason: string | null;
  /**
   * When balances, factors and payments followed it; null until then.
   */
  applied_at: string | null;
  /**
   * When its figures were last replaced; null where they never were.
   */
  restated_at: string | null;
  /**
   * Instant, ISO 8601 UTC with milliseconds.
   */
  created_at: string;
  /**
   * Instant, ISO 8601 UTC with milliseconds.
   */
  updated_at: string;
}
export interface PoolBook {
  /**
   * Identifier, `pool_…`.
   */
  pool_id: string;
  name: string;
  /**
   * The securitization deal; null before the pool is issued.
   */
  deal_id: string | null;
  /**
   * Status on the market; null before the pool is issued.
   */
  market_status: MarketStatus | null;
  tranches: TrancheDemand[];
}
export interface TrancheDemand {
  /**
   * Identifier, `trn_…`.
   */
  tranche_id: string;
  tranche: string;
  class: string;
  /**
   * Original face. In currency units, 2 decimals.
   */
  balance: number;
  indications: Demand;
  subscriptions: Demand5;
  orders: Demand6;
  /**
   * The open orders by their limit, those at market first, then limits ascending.
   */
  orders_by_limit: DemandAtLimit[];
  /**
   * (Live subscriptions + open orders) / balance, a fraction of 6 decimals; null for a tranche without balance.
   */
  coverage: number | null;
}
/**
 * Live indications of interest. They name a deal, not a tranche: they count for its most senior tranche on offer.
 */
export interface Demand5 {
  count: number;
  /**
   * Their sum. In currency units, 2 decimals.
   */
  amount: number;
}
/**
 * Live indications of interest. They name a deal, not a tranche: they count for its most senior tranche on offer.
 */
export interface Demand6 {
  count: number;
  /**
   * Their sum. In currency units, 2 decimals.
   */
  amount: number;
}
export interface PoolBookResponse {
  success: true;
  data: PoolBook;
}
export interface PoolCurves {
  vintages: VintageCurve[];
  /**
   * Moves between states from one tape to the next, over all these periods together.
   */
  rolls: PoolRollRate[];
}
export interface VintageCurve {
  /**
   * Quarter of origination, such as 2025Q3; null for loans without a date.
   */
  vintage: string | null;
  /**
   * Balance at closing. In currency units, 2 decimals.
   */
  balance: number;
  periods: VintagePeriod[];
}
export interface VintagePeriod {
  period: number;
  /**
   * After the period. In currency units, 2 decimals.
   */
  closing: number;
  /**
   * Loans after the period.
   */
  count: number;
  /**
   * Loans prepaid in the period.
   */
  prepaid_count: number;
  /**
   * Loans charged off in the period.
   */
  defaulted_count: number;
  /**
   * Charged off so far, percent of the balance at closing.
   */
  cumulative_default: number | null;
  /**
   * Charged off less recovered on the tapes so far, percent of the balance at closing.
   */
  cumulative_loss: number | null;
  /**
   * 60 days and more past due, percent of closing.
   */
  delinquent_60: number | null;
}
export interface PoolRollRate {
  from: RollState;
  to: RollState;
  /**
   * Percent of the balance that was in `from`, over all these periods.
   */
  percent: number;
  /**
   * Loans that moved so, counted in each period.
   */
  count: number;
  /**
   * What they owed before. In currency units, 2 decimals.
   */
  balance: number;
}
export interface PoolCurvesResponse {
  success: true;
  data: PoolCurves;
}
export interface PoolFactorOffData {
  pool_id: string;
  deal_id: string;
  period: number;
  payment_date: string;
  /**
   * Pool factor after the period, a fraction.
   */
  reported: number;
  /**
   * The same as the marks that were published first had projected it.
   */
  projected: number;
  /**
   * Reported less projected.
   */
  difference: number;
  /**
   * The calculation behind these marks.
   */
  calculation_id: string;
}
export interface PoolFactorOffMessage {
  event: 'pool.factor_off';
  /**
   * Time of the event; messages may arrive out of order.
   */
  timestamp: string;
  data: PoolFactorOffData;
}
export interface PoolReporting {
  /**
   * Business day of the month of each payment date, by the calendar of the deal, by whose end the tape of the period is due; `tape.late` tells when none was read. Null: no tape is late.
   */
  tape_due_business_day: number | null;
}
export interface PoolReportingResponse {
  success: true;
  data: PoolReporting;
}
export interface PoolResponse {
  success: true;
  data: Pool;
}
export interface PoolStructure {
  /**
   * Identifier, `pool_…`.
   */
  pool_id: string;
  /**
   * Version of the structure that is explained.
   */
  structure_version: number;
  /**
   * Dates, accrual, rounding, losses and other conventions of the whole deal.
   */
  payment: string[];
  tranches: ExplainedTranche[];
  accounts: ExplainedAccount[];
  fees: ExplainedFee[];
  /**
   * The waterfall, in order.
   */
  steps: ExplainedStep[];
  triggers: ExplainedTrigger[];
  calls: ExplainedCall[];
  /**
   * What the structure says and most likely does not mean. Warnings: they refuse nothing.
   */
  findings: StructureFinding[];
  /**
   * Tranches, accounts, fees, waterfall and triggers, in the deal language.
   */
  structure: {
    [k: string]: unknown;
  };
}
export interface StructureFinding {
  /**
   * Path in the structure, such as `waterfall[3].limit`.
   */
  path: string;
  code: StructureFindingCode;
  message: string;
}
export interface PoolStructureResponse {
  success: true;
  data: PoolStructure;
}
export interface PoolSummary {
  /**
   * Identifier, `pool_…`.
   */
  pool_id: string;
  name: string;
  status: PoolStatus;
  /**
   * Items: Identifier, `deal_…`.
   */
  deal_ids: string[];
  loan_type: LoanType;
  loan_count: number;
  /**
   * Current balance of the loans. In currency units, 2 decimals.
   */
  balance: number;
  /**
   * Balance-weighted rate, percent a year; loans without a rate are left out.
   */
  wac: number | null;
  /**
   * Balance-weighted remaining term, months; null for cards.
   */
  wam: number | null;
  /**
   * Calendar date, YYYY-MM-DD.
   */
  cut_off_date: string;
  /**
   * Calendar date, YYYY-MM-DD.
   */
  closing_date: string;
  offering: Offering;
  /**
   * When the originator requested the issue.
   */
  issue_requested_at: string | null;
  /**
   * The securitization deal, once issued.
   */
  deal_id: string | null;
  /**
   * Instant, ISO 8601 UTC with milliseconds.
   */
  created_at: string;
  /**
   * Instant, ISO 8601 UTC with milliseconds.
   */
  updated_at: string;
}
export interface PoolSummaryPage {
  success: true;
  data: PoolSummary[];
  pagination: Pagination;
}
export interface PoolSummaryResponse {
  success: true;
  data: PoolSummary;
}
export interface PoolTape {
  /**
   * Identifier, `pool_…`.
   */
  pool_id: string;
  /**
   * Number of the payment period; the first is 1.
   */
  period: number;
  /**
   * How many files were sent for the period.
   */
  version: number;
  /**
   * The file that the month in force comes from: an earlier one while the newest is read, and when it could not be. Null while none is.
   */
  version_in_force: number | null;
  file_name: string;
  format: string;
  size: number;
  sha256: string;
  state: PoolTapeState;
  /**
   * Why the file could not be read.
   */
  failure: string | null;
  rows: number;
  accepted: number;
  rejected: number;
  /**
   * Latest reporting date of the tape, else the day on which it was read.
   */
  as_of_date: string | null;
  /**
   * Period of the tape before it, 0 for the loans at closing.
   */
  compared_with: number | null;
  /**
   * Loans of the pool that are on the tape.
   */
  matched: number | null;
  /**
   * Rows of the tape that are no loan of the pool, and are left out.
   */
  strangers: number | null;
  /**
   * Findings of the reading, and of the comparison with the month before.
   */
  errors: number;
  warnings: number;
  /**
   * The findings counted; `…/tapes/{period}/issues` lists them.
   */
  by_rule: RuleCount[];
  /**
   * When the first file of the period was completed.
   */
  created_at: string;
  /**
   * When the newest file was read.
   */
  completed_at: string | null;
}
export interface PoolTapeDetail {
  /**
   * Identifier, `pool_…`.
   */
  pool_id: string;
  /**
   * Number of the payment period; the first is 1.
   */
  period: number;
  /**
   * How many files were sent for the period.
   */
  version: number;
  /**
   * The file that the month in force comes from: an earlier one while the newest is read, and when it could not be. Null while none is.
   */
  version_in_force: number | null;
  file_name: string;
  format: string;
  size: number;
  sha256: string;
  state: PoolTapeState;
  /**
   * Why the file could not be read.
   */
  failure: string | null;
  rows: number;
  accepted: number;
  rejected: number;
  /**
   * Latest reporting date of the tape, else the day on which it was read.
   */
  as_of_date: string | null;
  /**
   * Period of the tape before it, 0 for the loans at closing.
   */
  compared_with: number | null;
  /**
   * Loans of the pool that are on the tape.
   */
  matched: number | null;
  /**
   * Rows of the tape that are no loan of the pool, and are left out.
   */
  strangers: number | null;
  /**
   * Findings of the reading, and of the comparison with the month before.
   */
  errors: number;
  warnings: number;
  /**
   * The findings counted; `…/tapes/{period}/issues` lists them.
   */
  by_rule: RuleCount[];
  /**
   * When the first file of the period was completed.
   */
  created_at: string;
  /**
   * When the newest file was read.
   */
  completed_at: string | null;
  mapping: Mapping;
  /**
   * Items: How columns were read, in words.
   */
  decisions: string[];
}
export interface PoolTapeDetailResponse {
  success: true;
  data: PoolTapeDetail;
}
export interface PoolTapeListResponse {
  success: true;
  data: PoolTape[];
}
export interface PoolTapeResponse {
  success: true;
  data: PoolTape;
}
export interface PoolTerms {
  /**
   * POOL_ADJUSTED is POOL_CURRENT less this.
   */
  adjustment?:
    | PresentValueAdjustment
    | {
        /**
         * Payment period; 0 is the closing.
         */
        from_period: number;
        /**
         * Adjustment. Currency units.
         */
        value: number;
      }[];
}
export interface PresentValueAdjustment {
  /**
   * Each loan less the present value of its remaining scheduled payments.
   */
  kind: 'PRESENT_VALUE';
  /**
   * Discount rate a year. In percent.
   */
  rate: number;
  applies: AdjustedLoans;
}
export interface PortfolioGroup {
  name: string;
  /**
   * Market value of the group. In currency units, 2 decimals.
   */
  market_value: number;
  /**
   * Share of the book, 6 decimals; the weights add up to 1.
   */
  weight: number;
  /**
   * Percent a year.
   */
  wa_yield: number;
  /**
   * Basis points.
   */
  wa_spread: number;
  /**
   * Years.
   */
  wa_wal: number;
  /**
   * Modified, years.
   */
  wa_duration: number;
  position_count: number;
}
export interface PortfolioHistory {
  /**
   * Business zone whose dates these are.
   */
  zone: string;
  /**
   * Null where there is nothing to begin with.
   */
  from: string | null;
  /**
   * Calendar date, YYYY-MM-DD.
   */
  to: string;
  rows: PortfolioHistoryRow[];
}
export interface PortfolioHistoryRow {
  /**
   * Business date: a row has what was booked by its end.
   */
  date: string;
  /**
   * Original face held. In currency units, 2 decimals.
   */
  face: number;
  /**
   * Face × factor. In currency units, 2 decimals.
   */
  balance: number;
  /**
   * Of the positions that have a mark, without accrued interest; null where none of them has one. In currency units, 2 decimals.
   */
  market_value: number | null;
  /**
   * Positions without a mark, which the market value leaves out.
   */
  without_mark: number;
  /**
   * Balance of these positions. In currency units, 2 decimals.
   */
  balance_without_mark: number;
  /**
   * Interest paid since the first purchase. In currency units, 2 decimals.
   */
  interest: number;
  /**
   * Principal paid since the first purchase. In currency units, 2 decimals.
   */
  principal: number;
  /**
   * Balance written off since the first purchase. In currency units, 2 decimals.
   */
  writedown: number;
}
export interface PortfolioHistoryResponse {
  success: true;
  data: PortfolioHistory;
}
export interface PortfolioReports {
  /**
   * Positions.
   */
  holdings_snapshot: {
    /**
     * This interface was referenced by `undefined`'s JSON-Schema definition
     * via the `patternProperty` "^.*$".
     */
    [k: string]: unknown;
  }[];
  /**
   * Trades.
   */
  trade_history: {
    /**
     * This interface was referenced by `undefined`'s JSON-Schema definition
     * via the `patternProperty` "^.*$".
     */
    [k: string]: unknown;
  }[];
  /**
   * Tranches that you hold, by period; `basis`: reported or projected.
   */
  tranche_performance?: {
    /**
     * This interface was referenced by `undefined`'s JSON-Schema definition
     * via the `patternProperty` "^.*$".
     */
    [k: string]: unknown;
  }[];
  /**
   * Pools by period; percent, balances in currency units.
   */
  pool_metrics?: {
    /**
     * This interface was referenced by `undefined`'s JSON-Schema definition
     * via the `patternProperty` "^.*$".
     */
    [k: string]: unknown;
  }[];
}
export interface PortfolioReportsResponse {
  success: true;
  data: PortfolioReports;
}
export interface PortfolioScenarioGroup {
  name: string;
  /**
   * At the yields of the marks. In currency units, 2 decimals.
   */
  market_value: number;
  /**
   * Interest. In currency units, 2 decimals.
   */
  interest: number;
  /**
   * Principal. In currency units, 2 decimals.
   */
  principal: number;
  /**
   * Balance written off, or unpaid at the end. In currency units, 2 decimals.
   */
  writedown: number;
  position_count: number;
}
export interface PortfolioScenarioMonth {
  /**
   * Month of the payment dates, YYYY-MM.
   */
  month: string;
  /**
   * Interest. In currency units, 2 decimals.
   */
  interest: number;
  /**
   * Principal. In currency units, 2 decimals.
   */
  principal: number;
  /**
   * Balance written off, or unpaid at the end. In currency units, 2 decimals.
   */
  writedown: number;
}
export interface PortfolioScenarioResult {
  scenario: string;
  /**
   * Of the positions that are not left out: their balance at the price of the scenario’s cash flows at the yield of the mark, clean. In currency units, 2 decimals.
   */
  market_value: number;
  /**
   * Months after `as_of` in which something is paid or written off, ascending.
   */
  months: PortfolioScenarioMonth[];
  by_class: PortfolioScenarioGroup[];
  by_asset_type: PortfolioScenarioGroup[];
  by_originator: PortfolioScenarioGroup[];
}
export interface PortfolioScenarios {
  /**
   * Identifier, `calc_…`.
   */
  calculation_id: string;
  status: PortfolioRunStatus;
  /**
   * The positions are those at its end.
   */
  as_of: string;
  /**
   * As requested.
   */
  scenarios: Scenario[];
  /**
   * Positions with a balance, also those that are left out.
   */
  position_count: number;
  /**
   * Deals to calculate.
   */
  deal_count: number;
  deals_done: number;
  /**
   * What nothing values; all of it once the calculation is COMPLETED.
   */
  left_out: LeftOutDeal[];
  /**
   * Instant, ISO 8601 UTC with milliseconds.
   */
  created_at: string;
  /**
   * Instant, ISO 8601 UTC with milliseconds.
   */
  completed_at: string | null;
  results: PortfolioScenarioResult[] | null;
  /**
   * What the calculation of a deal supposed.
   */
  warnings: DealWarnings[];
}
export interface PortfolioScenariosResponse {
  success: true;
  data: PortfolioScenarios;
}
export interface PortfolioScenariosSummary {
  /**
   * Identifier, `calc_…`.
   */
  calculation_id: string;
  status: PortfolioRunStatus;
  /**
   * The positions are those at its end.
   */
  as_of: string;
  /**
   * As requested.
   */
  scenarios: Scenario[];
  /**
   * Positions with a balance, also those that are left out.
   */
  position_count: number;
  /**
   * Deals to calculate.
   */
  deal_count: number;
  deals_done: number;
  /**
   * What nothing values; all of it once the calculation is COMPLETED.
   */
  left_out: LeftOutDeal[];
  /**
   * Instant, ISO 8601 UTC with milliseconds.
   */
  created_at: string;
  /**
   * Instant, ISO 8601 UTC with milliseconds.
   */
  completed_at: string | null;
}
export interface PortfolioScenariosSummaryPage {
  success: true;
  data: PortfolioScenariosSummary[];
  pagination: Pagination;
}
export interface PortfolioScenariosSummaryResponse {
  success: true;
  data: PortfolioScenariosSummary;
}
export interface PortfolioSummary {
  /**
   * Market value of the book, without accrued interest. In currency units, 2 decimals.
   */
  total_market_value: number;
  /**
   * Percent a year.
   */
  wa_yield: number;
  /**
   * Basis points.
   */
  wa_spread: number;
  /**
   * Years.
   */
  wa_wal: number;
  /**
   * Modified, years.
   */
  wa_duration: number;
  by_class: PortfolioGroup[];
  by_asset_type: PortfolioGroup[];
  by_originator: PortfolioGroup[];
  position_count: number;
  missing: MissingFigures;
}
export interface PortfolioSummaryResponse {
  success: true;
  data: PortfolioSummary;
}
export interface Position {
  /**
   * Identifier, `pos_…`.
   */
  position_id: string;
  /**
   * Identifier, `deal_…`.
   */
  deal_id: string;
  /**
   * Identifier, `trn_…`.
   */
  tranche_id: string;
  class: string;
  asset_type: LoanType;
  originator: string;
  /**
   * Original face held. In currency units, 2 decimals.
   */
  face: number;
  /**
   * Current balance over original balance of the tranche.
   */
  factor: number;
  /**
   * Face × factor. In currency units, 2 decimals.
   */
  current_balance: number;
  /**
   * Clean, per 100 of current balance; 100 without a mark.
   */
  price: number;
  /**
   * Current balance at the price, without accrued interest. In currency units, 2 decimals.
   */
  market_value: number;
  /**
   * Amount paid, without interest, for the outstanding balance. In currency units, 2 decimals.
   */
  cost_basis: number;
  /**
   * Interest since the last payment date, up to today or `as_of`; null while the coupon of the accrual is not known. In currency units, 2 decimals.
   */
  accrued_interest: number | null;
  /**
   * Percent a year; the coupon without a mark.
   */
  yield: number | null;
  /**
   * Basis points.
   */
  spread: number | null;
  /**
   * Years.
   */
  wal: number | null;
  /**
   * Modified, years.
   */
  duration: number | null;
  /**
   * Market value less cost basis. In currency units, 2 decimals.
   */
  unrealized_gain: number;
  /**
   * Date of the mark; without one the trade date.
   */
  as_of: string;
}
export interface PositionPage {
  success: true;
  data: Position[];
  pagination: Pagination;
}
export interface ProfileDocumentAddress {
  /**
   * Identifier, `doc_…`.
   */
  document_id: string;
  file_name: string;
  size: number;
  sha256: string;
  /**
   * GET it without a key before it expires.
   */
  download_url: string;
  /**
   * When the address stops working: five minutes after it was made.
   */
  expires_at: string;
  /**
   * Identifier, `org_…`.
   */
  organization_id: string;
}
export interface ProfileDocumentAddressResponse {
  success: true;
  data: ProfileDocumentAddress;
}
export interface ProfileDocumentResponse {
  success: true;
  data: ProfileDocument;
}
export interface PublishedMarks {
  /**
   * Identifier, `calc_…`.
   */
  calculation_id: string;
  /**
   * Identifier, `deal_…`.
   */
  deal_id: string;
  /**
   * As-of date of the marks.
   */
  as_of: string;
  /**
   * Instant, ISO 8601 UTC with milliseconds.
   */
  published_at: string;
  marks: TrancheMark[];
}
export interface TrancheMark {
  tranche: string;
  /**
   * Clean, per 100.
   */
  price: number;
  /**
   * Percent.
   */
  yield: number | null;
  /**
   * Basis points.
   */
  spread_bp: number | null;
  /**
   * Years.
   */
  wal: number | null;
  /**
   * Modified, years.
   */
  duration: number | null;
}
export interface PublishedMarksResponse {
  success: true;
  data: PublishedMarks;
}
export interface QueuedBulkJob {
  /**
   * Identifier, `job_…`.
   */
  job_id: string;
  status: string;
  deals: BulkDeal[];
}
export interface QueuedBulkJobResponse {
  success: true;
  data: QueuedBulkJob;
}
export interface QueuedRun {
  /**
   * Identifier, `scj_…`.
   */
  sc_job_id?: string;
  status?: string;
  [k: string]: unknown;
}
export interface QueuedRunResponse {
  success: true;
  data: QueuedRun;
}
export interface Reason {
  /**
   * Reason, kept in the audit log.
   */
  reason?: string;
}
export interface RecordAccess {
  /**
   * Identifier, `org_…`.
   */
  reader_id: string;
  /**
   * Name of the organization that read.
   */
  reader: string;
  /**
   * The key; null where a person acted.
   */
  key_id: string | null;
  /**
   * The member of the organization who was signed in; null where a key acted.
   */
  member_id: string | null;
  act: AccessAct;
  /**
   * deal, pool or job.
   */
  entity_type: string;
  entity_id: string;
  /**
   * The part of the record, such as loans.
   */
  what: string;
  /**
   * Of loans: the fields, and the format and number of a file.
   */
  details: {
    /**
     * This interface was referenced by `undefined`'s JSON-Schema definition
     * via the `patternProperty` "^.*$".
     */
    [k: string]: unknown;
  };
  /**
   * Instant, ISO 8601 UTC with milliseconds.
   */
  at: string;
}
export interface RecordAccessPage {
  success: true;
  data: RecordAccess[];
  pagination: Pagination;
}
export interface RecoverDeliveries {
  since: string;
}
export interface RecoveredDeliveries {
  /**
   * Replays that this call queued.
   */
  queued: number;
  /**
   * Events left for the next call.
   */
  remaining: number;
  /**
   * Events that were skipped: an earlier replay failed and will be retried.
   */
  retrying: number;
}
export interface RecoveredDeliveriesResponse {
  success: true;
  data: RecoveredDeliveries;
}
export interface RefreshTape {
  /**
   * Original name of the file.
   */
  fileName?: string;
  fileFormat?: TapeFormat;
}
export interface RejectDeal {
  /**
   * Short code of the reason; OTHER by default.
   */
  reason_code?: string;
  /**
   * The reason, shown to the originator.
   */
  reason: string;
}
export interface RejectSubscription {
  /**
   * Reason, shown to the investor.
   */
  reason?: string;
}
export interface RemittanceAppliedData {
  pool_id: string;
  deal_id: string;
  period: number;
  payment_date: string;
}
export interface RemittanceAppliedMessage {
  event: 'remittance.applied';
  /**
   * Time of the event; messages may arrive out of order.
   */
  timestamp: string;
  data: RemittanceAppliedData;
}
export interface RemittanceDetail {
  /**
   * Identifier, `rem_…`.
   */
  remittance_id: string;
  /**
   * Identifier, `pool_…`.
   */
  pool_id: string;
  /**
   * Identifier, `deal_…`.
   */
  deal_id: string;
  /**
   * Payment period, 1 is the first.
   */
  period: number;
  /**
   * Calendar date, YYYY-MM-DD.
   */
  payment_date: string;
  status: RemittanceStatus;
  /**
   * Versions of the report so far; each restatement adds one.
   */
  version: number;
  basis: 'ACTUAL';
  /**
   * The report, under the field names of servicer reports.
   */
  report: {
    [k: string]: unknown;
  };
  pool: PoolPerformance;
  tranches: TranchePerformance[];
  triggers: TriggerStatus[];
  verification: Verification;
  /**
   * When the operator signed off its differences; null where it has not.
   */
  accepted_at: string | null;
  /**
   * Why.
   */
  accepted_reason: string | null;
  /**
   * When balances, factors and payments followed it; null until then.
   */
  applied_at: string | null;
  /**
   * When its figures were last replaced; null where they never were.
   */
  restated_at: string | null;
  /**
   * Instant, ISO 8601 UTC with milliseconds.
   */
  created_at: string;
  /**
   * Instant, ISO 8601 UTC with milliseconds.
   */
  updated_at: string;
  /**
   * The versions that restatements replaced, the latest first.
   */
  versions: RemittanceVersion[];
}
export interface RemittanceVersion {
  version: number;
  /**
   * The report as it was.
   */
  report: {
    [k: string]: unknown;
  };
  pool: PoolPerformance;
  tranches: TranchePerformance[];
  triggers: TriggerStatus[];
  /**
   * Instant, ISO 8601 UTC with milliseconds.
   */
  reported_at: string;
  /**
   * Instant, ISO 8601 UTC with milliseconds.
   */
  replaced_at: string;
}
export interface RemittanceDetailResponse {
  success: true;
  data: RemittanceDetail;
}
export interface RemittanceDiffersData {
  remittance_id: string;
  pool_id: string;
  deal_id: string;
  period: number;
  payment_date: string;
  /**
   * The figures that differ from those that follow from the cash reported.
   */
  differences: {
    what: string;
    tranche?: string;
    /**
     * Path of the figure in the report.
     */
    path: string;
    reported: number | string;
    expected: number | string | null;
    difference: number | null;
  }[];
}
export interface RemittanceDiffersMessage {
  event: 'remittance.differs';
  /**
   * Time of the event; messages may arrive out of order.
   */
  timestamp: string;
  data: RemittanceDiffersData;
}
export interface RemittancePage {
  success: true;
  data: Remittance[];
  pagination: Pagination;
}
export interface RemittanceResponse {
  success: true;
  data: Remittance;
}
export interface RemittanceRestatedData {
  remittance_id: string;
  pool_id: string;
  deal_id: string;
  period: number;
  payment_date: string;
  /**
   * The version that is in force; the report as it was first applied is 1.
   */
  version: number;
}
export interface RemittanceRestatedMessage {
  event: 'remittance.restated';
  /**
   * Time of the event; messages may arrive out of order.
   */
  timestamp: string;
  data: RemittanceRestatedData;
}
/**
 * Servicer report of one payment date.
 */
export interface RemittanceToVerify {
  /**
   * Payment period, 1 is the first.
   */
  period: number;
  /**
   * Date of the payment.
   */
  payment_date: string;
  collateral: ReportedCollateral;
  /**
   * @minItems 1
   * @maxItems 50
   */
  tranches: ReportedTranche[];
  totals?: ReportedTotals;
  collection_period?: CollectionPeriod;
  available?: AvailableFunds;
  /**
   * Index of the period by name, without margin. Percent a year.
   */
  fixings?: {
    /**
     * This interface was referenced by `undefined`'s JSON-Schema definition
     * via the `patternProperty` "^.*$".
     */
    [k: string]: number;
  };
  /**
   * NET_WAC: the rate of the loans after fees. Percent a year.
   */
  rates?: {
    /**
     * This interface was referenced by `undefined`'s JSON-Schema definition
     * via the `patternProperty` "^.*$".
     */
    [k: string]: number;
  };
  /**
   * Accounts.
   *
   * @maxItems 20
   */
  accounts?: ReportedAccount[];
  /**
   * Fees.
   *
   * @maxItems 50
   */
  fees?: ReportedFee[];
  /**
   * Steps of the waterfall.
   *
   * @maxItems 200
   */
  steps?: ReportedStep[];
  /**
   * Declared triggers that go on or off.
   *
   * @maxItems 50
   */
  events?: ReportedTrigger[];
  /**
   * Triggers as the report has them.
   *
   * @maxItems 50
   */
  triggers?: ReportedTrigger[];
  call?: ReportedCall;
  /**
   * Paid to the holders of the residual by the waterfall. Currency units.
   */
  residual?: number;
  opening?: VerifiedOpening;
  /**
   * Triggers before the payment, where the opening is the reported one. Default: off.
   *
   * @maxItems 50
   */
  trigger_state?: TriggerState[];
}
export interface TriggerState {
  trigger: string;
  on: boolean;
}
export interface RollRate {
  /**
   * Days past due on the older tape.
   */
  from: string;
  /**
   * On the newer tape; PAID_OFF without a balance, REMOVED when the tape does not have the loan.
   */
  to: string;
  loan_count: number;
  /**
   * On the older tape. In currency units, 2 decimals.
   */
  balance: number;
  /**
   * Of the balance that was in `from`. Percent.
   */
  rate: number | null;
}
export interface RollRates {
  /**
   * Identifier, `deal_…`.
   */
  deal_id: string;
  from_version: number;
  to_version: number;
  rolls: RollRate[];
}
export interface RotateKey {
  /**
   * 24 hours by default.
   */
  overlap_seconds?: number;
}
export interface RotateSecret {
  /**
   * At most 7 days.
   */
  grace_seconds: number;
}
export interface RuleChange {
  rule_id: string;
  newly_failing: LoanChange | null;
  newly_passing: LoanChange | null;
}
export interface RunComparison {
  /**
   * Identifier, `scj_…`.
   */
  first: string;
  /**
   * Identifier, `scj_…`.
   */
  second: string;
  newly_failing: ListedLoanChange;
  newly_passing: ListedLoanChange;
  only_in_first: LoanChange;
  only_in_second: LoanChange;
  unchanged: LoanChange;
  rules: RuleChange[];
}
export interface RunComparisonResponse {
  success: true;
  data: RunComparison;
}
export interface RunCriteria {
  /**
   * Identifier, `crt_…`.
   */
  criteria_id?: string;
  version?: number;
  dry_run?: boolean;
  criteria?: NewCriteriaSet;
}
export interface SandboxClock {
  /**
   * Instant, ISO 8601 UTC with milliseconds.
   */
  now: string;
}
export interface SandboxClockResponse {
  success: true;
  data: SandboxClock;
}
export interface SandboxDeal {
  /**
   * Identifier, `deal_…`.
   */
  deal_id: string;
  loan_type: string;
  status: string;
  planted_defects: number;
}
export interface SandboxOrganizations {
  originator: string;
  investor: string;
}
export interface ScCompletedData {
  deal_id: string;
  sc_job_id: string;
  status: string;
  passed: number;
  failed: number;
  total: number;
  run_at: string;
  exception_file_id: string | null;
}
export interface ScCompletedMessage {
  event: 'sc.completed';
  /**
   * Time of the event; messages may arrive out of order.
   */
  timestamp: string;
  data: ScCompletedData;
}
export interface SearchAnswer {
  q: string;
  deals: FoundDeals;
  pools: FoundPools;
  organizations: FoundOrganizations;
  loans: FoundLoans;
}
export interface SearchAnswerResponse {
  success: true;
  data: SearchAnswer;
}
export interface SeedSandbox {
  /**
   * Payment periods that the sold deal has behind it.
   */
  months?: number;
}
export interface SeededSandbox {
  organizations: SandboxOrganizations;
  loan_deals: SandboxDeal[];
  /**
   * Newest first: one on the market, one with settled positions.
   *
   * Items: Identifier, `deal_…`.
   */
  securitization_deal_ids: string[];
  /**
   * Items: Identifier, `pool_…`.
   */
  pool_ids: string[];
  positions: number;
  /**
   * False when the sandbox was seeded before.
   */
  created: boolean;
}
export interface SeededSandboxResponse {
  success: true;
  data: SeededSandbox;
}
export interface SetDisclosure {
  level: DisclosureLevel;
  /**
   * Fields of the dictionary of the loan type; none by default.
   *
   * @maxItems 200
   */
  fields?: string[];
}
export interface Statement {
  /**
   * Month, YYYY-MM.
   */
  month: string;
  /**
   * First day of the month.
   */
  from: string;
  /**
   * Last day of the month.
   */
  to: string;
  /**
   * Business zone whose months these are.
   */
  zone: string;
  /**
   * Identifier, `org_…`.
   */
  organization_id: string;
  organization: string;
  /**
   * True once the month has ended: the statement never changes then. False too for the moments in which a booking of the month is still being written.
   */
  final: boolean;
  /**
   * Bookings before this instant count: the end of the month, or of a month that has not ended the present.
   */
  until: string;
  positions: StatementPosition[];
  totals: StatementTotals;
  /**
   * Closing balances of up to 12 months, this one last.
   */
  balances: StatementBalance[];
}
export interface StatementPosition {
  /**
   * Identifier, `pos_…`.
   */
  position_id: string;
  /**
   * Identifier, `deal_…`.
   */
  deal_id: string;
  deal: string;
  /**
   * Identifier, `trn_…`.
   */
  tranche_id: string;
  tranche: string;
  class: string;
  /**
   * Face at the beginning of the month: the closing face of the month before. In currency units, 2 decimals.
   */
  opening_face: number;
  /**
   * Balance at the beginning of the month: the closing balance of the month before. In currency units, 2 decimals.
   */
  opening_balance: number;
  /**
   * Face of the trades. In currency units, 2 decimals.
   */
  bought_face: number;
  /**
   * Face of the trades × their factors. In currency units, 2 decimals.
   */
  bought_balance: number;
  /**
   * Cash paid for the trades. In currency units, 2 decimals.
   */
  net_amount: number;
  /**
   * Interest paid, restatement differences included. In currency units, 2 decimals.
   */
  interest: number;
  /**
   * Principal paid, restatement differences included. In currency units, 2 decimals.
   */
  principal: number;
  /**
   * Balance written off, restatement differences included. In currency units, 2 decimals.
   */
  writedown: number;
  /**
   * Interest that was added to the balance. In currency units, 2 decimals.
   */
  accreted: number;
  /**
   * Closing balance less what opening balance, trades and payments come to: cents by which factors of 8 decimals round, and payments on this face that went to the holder of record before it was yours. In currency units, 2 decimals.
   */
  other_change: number;
  /**
   * Face at the end of the month. In currency units, 2 decimals.
   */
  closing_face: number;
  /**
   * Closing face × closing factor. In currency units, 2 decimals.
   */
  closing_balance: number;
  /**
   * Null where the position did not exist.
   */
  opening_factor: number | null;
  /**
   * At the end of the month.
   */
  closing_factor: number;
  /**
   * Clean, per 100 of balance: the latest mark published by the end of the month; null without one.
   */
  price: number | null;
  /**
   * Date of the mark; null without one.
   */
  mark_as_of: string | null;
  /**
   * Closing balance at the price, without accrued interest; null without a mark. In currency units, 2 decimals.
   */
  market_value: number | null;
  /**
   * Trades that settled in the month.
   */
  trades: StatementTrade[];
  /**
   * Payments that were booked in the month.
   */
  payments: StatementPayment[];
}
export interface StatementTrade {
  /**
   * Identifier, `trd_…`.
   */
  trade_id: string;
  side: 'BUY';
  /**
   * Original face bought. In currency units, 2 decimals.
   */
  face: number;
  /**
   * At which it settled: after the payment that it was bought ex of, if there was one.
   */
  factor: number;
  /**
   * Face × factor. In currency units, 2 decimals.
   */
  balance: number;
  /**
   * Clean, per 100 of balance.
   */
  price: number;
  /**
   * Balance at the price. In currency units, 2 decimals.
   */
  principal_amount: number;
  /**
   * Paid to the seller; negative where the seller paid it. In currency units, 2 decimals.
   */
  accrued_interest: number;
  /**
   * Cash paid. In currency units, 2 decimals.
   */
  net_amount: number;
  /**
   * Calendar date, YYYY-MM-DD.
   */
  trade_date: string;
  /**
   * Calendar date, YYYY-MM-DD.
   */
  settlement_date: string;
  /**
   * Date of the booking in the business zone.
   */
  booked_on: string;
}
export interface StatementPayment {
  /**
   * Identifier, `pay_…`.
   */
  payment_id: string;
  /**
   * Payment period, 1 is the first.
   */
  period: number;
  /**
   * Date of the payment; a report that is applied later is booked later.
   */
  payment_date: string;
  /**
   * Calendar date, YYYY-MM-DD.
   */
  record_date: string;
  /**
   * Date of the booking in the business zone.
   */
  booked_on: string;
  /**
   * Original face held at the end of the record date. In currency units, 2 decimals.
   */
  face: number;
  /**
   * Negative where a restatement takes interest back. In currency units, 2 decimals.
   */
  interest: number;
  /**
   * Negative where a restatement takes principal back. In currency units, 2 decimals.
   */
  principal: number;
  /**
   * Balance written off; negative when reinstated. In currency units, 2 decimals.
   */
  writedown: number;
  /**
   * Interest that was added to the balance. In currency units, 2 decimals.
   */
  accreted: number;
  /**
   * Of a restatement, the factor before it.
   */
  factor_before: number;
  /**
   * Balance over original balance of the tranche after the payment.
   */
  factor_after: number;
  /**
   * The payment that this one corrects by a difference.
   */
  restates: string | null;
}
export interface StatementTotals {
  /**
   * Face at the beginning of the month: the closing face of the month before. In currency units, 2 decimals.
   */
  opening_face: number;
  /**
   * Balance at the beginning of the month: the closing balance of the month before. In currency units, 2 decimals.
   */
  opening_balance: number;
  /**
   * Face of the trades. In currency units, 2 decimals.
   */
  bought_face: number;
  /**
   * Face of the trades × their factors. In currency units, 2 decimals.
   */
  bought_balance: number;
  /**
   * Cash paid for the trades. In currency units, 2 decimals.
   */
  net_amount: number;
  /**
   * Interest paid, restatement differences included. In currency units, 2 decimals.
   */
  interest: number;
  /**
   * Principal paid, restatement differences included. In currency units, 2 decimals.
   */
  principal: number;
  /**
   * Balance written off, restatement differences included. In currency units, 2 decimals.
   */
  writedown: number;
  /**
   * Interest that was added to the balance. In currency units, 2 decimals.
   */
  accreted: number;
  /**
   * Closing balance less what opening balance, trades and payments come to: cents by which factors of 8 decimals round, and payments on this face that went to the holder of record before it was yours. In currency units, 2 decimals.
   */
  other_change: number;
  /**
   * Face at the end of the month. In currency units, 2 decimals.
   */
  closing_face: number;
  /**
   * Closing face × closing factor. In currency units, 2 decimals.
   */
  closing_balance: number;
  /**
   * Market value of the positions that have a mark; null where none of them has one. In currency units, 2 decimals.
   */
  market_value: number | null;
  /**
   * Positions without a mark, which the market value leaves out.
   */
  without_mark: number;
  /**
   * Closing balance of these positions. In currency units, 2 decimals.
   */
  balance_without_mark: number;
  position_count: number;
  trade_count: number;
  payment_count: number;
}
export interface StatementBalance {
  /**
   * Month, YYYY-MM.
   */
  month: string;
  /**
   * Closing balance of the month. In currency units, 2 decimals.
   */
  balance: number;
}
export interface StatementResponse {
  success: true;
  data: Statement;
}
export interface Strats {
  by: string;
  then_by: string | null;
  bands: number[] | null;
  then_bands: number[] | null;
  total: StratFigures;
  groups: StratGroup[];
  /**
   * Terms and ages are as of this date: the tape’s, or the pool’s cut-off.
   */
  as_of: string;
  /**
   * Deal → version of its tape.
   */
  tape_versions: {
    /**
     * This interface was referenced by `undefined`'s JSON-Schema definition
     * via the `patternProperty` "^.*$".
     */
    [k: string]: number;
  };
  engine_version: string;
}
export interface StratsResponse {
  success: true;
  data: Strats;
}
/**
 * Liabilities of a pool.
 */
export interface Structure {
  payment?: PaymentTerms;
  pool?: PoolTerms;
  /**
   * Notes and residual.
   *
   * @minItems 1
   * @maxItems 50
   */
  tranches: {
    /**
     * Name, unique in the structure.
     */
    tranche: string;
    /**
     * Class; RESIDUAL is the equity. Default: the name.
     */
    class?: string;
    /**
     * Original balance; every tranche that is not notional has one. Currency units.
     */
    balance?: number;
    /**
     * Of a notional tranche, which is paid interest alone: what its coupon is of, by the opening balances of other tranches.
     */
    notional?: number | AmountPoint[] | AmountForm;
    coupon?:
      | {
          /**
           * A fixed rate.
           */
          type: 'FIXED';
          /**
           * Coupon, percent a year; a schedule of rates steps up or down.
           */
          rate: number | AmountPoint[] | AmountForm;
          /**
           * Lowest coupon: a rate, a schedule or NET_WAC.
           */
          floor?: number | 'NET_WAC' | AmountPoint[] | AmountForm;
          /**
           * Highest coupon: a rate, a schedule or NET_WAC, the balance-weighted rate of the loans less the fees of the period.
           */
          cap?: number | 'NET_WAC' | AmountPoint[] | AmountForm;
          /**
           * What the cap cuts stays owed, and a CARRY_OVER step pays it. Default false: it is lost.
           */
          carry_over?: boolean;
        }
      | {
          /**
           * Index plus margin.
           */
          type: 'FLOATING';
          /**
           * Index, a key of `index_curves` of a calculation.
           */
          index: string;
          /**
           * Margin over the index, basis points.
           */
          margin_bp: number | AmountPoint[] | AmountForm;
          /**
           * Times the index; −2.5 is an inverse floater. Default 1.
           */
          multiplier?: number;
          reset?: CouponReset;
          /**
           * Lowest coupon: a rate, a schedule or NET_WAC.
           */
          floor?: number | 'NET_WAC' | AmountPoint[] | AmountForm;
          /**
           * Highest coupon: a rate, a schedule or NET_WAC, the balance-weighted rate of the loans less the fees of the period.
           */
          cap?: number | 'NET_WAC' | AmountPoint[] | AmountForm;
          /**
           * What the cap cuts stays owed, and a CARRY_OVER step pays it. Default false: it is lost.
           */
          carry_over?: boolean;
        }
      | {
          /**
           * NET_WAC less the average of the coupons, weighted by opening balance; at least 0.
           */
          type: 'EXCESS';
        };
    /**
     * Day count of the coupon. Default 30/360.
     */
    day_count?: '30/360' | '30E/360' | 'ACT/360' | 'ACT/365' | 'ACT/ACT';
    /**
     * 1 is the most senior. Default: the place in the list.
     */
    seniority?: number;
    /**
     * PAY (default), or accrete to the balance until `accrue_until` is paid.
     */
    interest?: 'PAY' | 'ACCRUE_UNTIL';
    /**
     * Tranches that must be paid before this one is paid interest.
     *
     * @minItems 1
     * @maxItems 50
     *
     * Items: Name.
     */
    accrue_until?: string[];
    /**
     * Unpaid interest earns the coupon. Default false.
     */
    interest_on_shortfall?: boolean;
    /**
     * Smallest holding. Currency units.
     */
    denomination?: number;
    /**
     * Step above the denomination. Currency units.
     */
    increment?: number;
    /**
     * Rating, as text.
     */
    rating?: string;
    /**
     * The whole balance is due from the first payment date on or after this date.
     */
    final_maturity?: string;
    /**
     * May be bought by plans under ERISA.
     */
    erisa_eligible?: boolean;
    /**
     * Yield at which it is offered, percent.
     */
    offered_yield?: number;
    /**
     * Where the documents say it, such as `Indenture § 8.2(c)(iii)`.
     */
    clause?: string;
  }[];
  /**
   * Reserve accounts.
   *
   * @maxItems 20
   */
  accounts?: {
    /**
     * Name, unique in the structure.
     */
    account: string;
    kind?: AccountKind;
    /**
     * Balance at closing. Default 0. Currency units.
     */
    initial?: number;
    /**
     * Balance to which a RESERVE step tops it up, at most the notes. Default 0.
     */
    target?: number | AmountPoint[] | AmountForm;
    /**
     * The target never falls. Default false.
     */
    non_declining?: boolean;
    /**
     * Steps whose shortfall the account pays. Default: FEE and INTEREST.
     *
     * @maxItems 50
     *
     * Items: A kind of step, or step: and the name of one.
     */
    draws?: string[];
    earns?: AccountIncome;
    /**
     * Days for which collections earn in a COLLECTION account. Default 15.
     */
    float_days?: number;
    income_to?: IncomeReceiver;
    /**
     * Where the part above the target goes: POT (default), or RESIDUAL or a tranche, outside the steps; steps of principal that are short draw it first.
     */
    release_to?: string;
    /**
     * Where the documents say it, such as `Indenture § 8.2(c)(iii)`.
     */
    clause?: string;
  }[];
  /**
   * Fees; unpaid ones carry forward.
   *
   * @maxItems 50
   */
  fees?: {
    /**
     * Name, unique in the structure.
     */
    fee: string;
    /**
     * Fee a year, percent of `of`.
     */
    percent?: number | AmountPoint[] | AmountForm;
    /**
     * Base of the percentage, as in an amount. Default POOL_BEGINNING.
     */
    of?: string;
    /**
     * Fee a year.
     */
    amount_per_year?: number | AmountPoint[] | AmountForm;
    one_off?: OneOffFee;
    /**
     * What is due is reported; a projection has 0, unless its assumptions say otherwise. Default false.
     */
    billed?: boolean;
    /**
     * Where the documents say it, such as `Indenture § 8.2(c)(iii)`.
     */
    clause?: string;
  }[];
  /**
   * Steps in order; the last is RESIDUAL.
   *
   * @maxItems 200
   */
  waterfall: {
    /**
     * Name, unique in the structure. Default: the place in the list, from 1.
     */
    step?: string;
    /**
     * What the step pays.
     */
    pay: 'FEE' | 'INTEREST' | 'PRINCIPAL' | 'RESERVE' | 'RESIDUAL' | 'CARRY_OVER' | 'WRITTEN_DOWN';
    /**
     * Fees, tranches or accounts, by name. A list in the list is a group whose members share pro rata; a list in a group, or in a PRO_RATA list, is paid one after the other.
     *
     * @minItems 1
     * @maxItems 100
     */
    to: (string | (string | string[])[])[];
    /**
     * One name after the other, or by balance (principal) or by due. Default SEQUENTIAL.
     */
    order?: 'SEQUENTIAL' | 'PRO_RATA';
    weights?: GroupWeights;
    /**
     * How much principal is due. Default PRINCIPAL_COLLECTIONS.
     */
    amount?: number | ('PRINCIPAL_COLLECTIONS' | 'ALL') | AmountPoint[] | AmountForm;
    /**
     * Most that the step pays, in a period or in a calendar year.
     */
    limit?: number | AmountPoint[] | YearlyLimit | AmountForm;
    /**
     * A trigger, any of several or all of several.
     */
    when?: string | AnyTrigger | AllTriggers;
    /**
     * A trigger, any of several or all of several.
     */
    unless?: string | AnyTrigger | AllTriggers;
    /**
     * Where the documents say it, such as `Indenture § 8.2(c)(iii)`.
     */
    clause?: string;
  }[];
  /**
   * Tests, once a period before the first step.
   *
   * @maxItems 50
   */
  triggers?: {
    /**
     * Name, unique in the structure.
     */
    trigger: string;
    /**
     * What is tested, in percent (POOL_FACTOR 10 is a tenth of the original pool) or currency units. `_AVG3` is the mean of at most the last three periods.
     */
    metric?: TriggerMetric | WrongMetric;
    /**
     * The test is breached when metric op value.
     */
    op?: TriggerOperator | WrongOperator;
    /**
     * Threshold: percent, currency units for amounts, a period, or a date for DATE.
     */
    value?: string | (number | AmountPoint[] | AmountForm);
    /**
     * Thresholds by period, in place of `value`; not tested before the first.
     *
     * @minItems 1
     * @maxItems 1200
     */
    schedule?: ThresholdStep[];
    interpolate?: Interpolation;
    /**
     * Periods in a row that must breach. Default 1.
     */
    consecutive?: number;
    /**
     * Tranches that count, by name; a last `*` stands for any ending. Default: all that are neither residual nor notional.
     *
     * @minItems 1
     * @maxItems 50
     *
     * Items: Name.
     */
    of_tranches?: string[];
    /**
     * In place of a metric: the first amount in percent of the second.
     *
     * @minItems 2
     * @maxItems 2
     *
     * Items: An amount.
     */
    ratio?: (number | AmountPoint[] | AmountForm)[];
    /**
     * The mean of the ratio of at most so many periods. Default 1.
     */
    average?: number;
    /**
     * The ratio is taken after the payment, and counts from the next period on. Default false.
     */
    after_payment?: boolean;
    /**
     * Breached when one of the tests is.
     *
     * @minItems 1
     * @maxItems 20
     */
    any_of?: TriggerTest[];
    /**
     * Breached when all of the tests are.
     *
     * @minItems 1
     * @maxItems 20
     */
    all_of?: TriggerTest[];
    /**
     * On when a report declares it, such as an event of default; it has no test. Default false.
     */
    declared?: boolean;
    /**
     * Goes off again after `cure_periods`. Default false.
     */
    curable?: boolean;
    /**
     * Periods in a row without a breach that cure it. Default 1.
     */
    cure_periods?: number;
    /**
     * Where the documents say it, such as `Indenture § 8.2(c)(iii)`.
     */
    clause?: string;
  }[];
  losses?: {
    /**
     * NONE: what is unpaid at the end is lost. REVERSE_SEQUENTIAL: notes above the pool are written off from the most junior up.
     */
    mode: 'NONE' | 'REVERSE_SEQUENTIAL';
    /**
     * Write-offs are reinstated when the pool covers them. Default false.
     */
    write_up?: boolean;
  };
  clean_up_call?: {
    /**
     * The pool may be called at or below this share of its original balance. In percent.
     */
    percent: number;
    /**
     * The call is exercised as soon as it can be. Default true.
     */
    exercised?: boolean;
  };
  /**
   * Calls by date, factor or another test, in place of `clean_up_call`.
   *
   * @minItems 1
   * @maxItems 10
   */
  calls?: {
    /**
     * Name, unique in the structure.
     */
    call: string;
    /**
     * It is due from the first payment date on which one of the tests holds.
     *
     * @minItems 1
     * @maxItems 20
     */
    any_of: TriggerTest[];
    /**
     * What is paid for the pool. Default: its performing balance.
     */
    price?: number | AmountPoint[] | AmountForm;
    /**
     * The call is exercised as soon as it can be. Default true.
     */
    exercised?: boolean;
    /**
     * Where the documents say it, such as `Indenture § 8.2(c)(iii)`.
     */
    clause?: string;
  }[];
  /**
   * Known fixings by index; periods without one use the curve.
   */
  fixings?: {
    /**
     * @minItems 1
     * @maxItems 1200
     *
     * This interface was referenced by `undefined`'s JSON-Schema definition
     * via the `patternProperty` "^.*$".
     */
    [k: string]: IndexFixing[];
  };
  /**
   * Default of the tranches: unpaid interest earns the coupon. Default false.
   */
  interest_on_shortfall?: boolean;
}
export interface YearlyLimit {
  /**
   * Most that is paid.
   */
  amount: number | AmountPoint[] | AmountForm;
  /**
   * In a calendar year.
   */
  per: 'YEAR';
}
export interface ThresholdStep {
  /**
   * First payment period of the value.
   */
  from_period: number;
  /**
   * Threshold, percent.
   */
  value: number;
}
export interface TriggerTest {
  /**
   * What is tested, in percent (POOL_FACTOR 10 is a tenth of the original pool) or currency units. `_AVG3` is the mean of at most the last three periods.
   */
  metric?: TriggerMetric | WrongMetric;
  /**
   * The test is breached when metric op value.
   */
  op: TriggerOperator | WrongOperator;
  /**
   * Threshold: percent, currency units for amounts, a period, or a date for DATE.
   */
  value?: string | (number | AmountPoint[] | AmountForm);
  /**
   * Thresholds by period, in place of `value`; not tested before the first.
   *
   * @minItems 1
   * @maxItems 1200
   */
  schedule?: ThresholdStep[];
  interpolate?: Interpolation;
  /**
   * Periods in a row that must breach. Default 1.
   */
  consecutive?: number;
  /**
   * Tranches that count, by name; a last `*` stands for any ending. Default: all that are neither residual nor notional.
   *
   * @minItems 1
   * @maxItems 50
   *
   * Items: Name.
   */
  of_tranches?: string[];
  /**
   * In place of a metric: the first amount in percent of the second.
   *
   * @minItems 2
   * @maxItems 2
   *
   * Items: An amount.
   */
  ratio?: (number | AmountPoint[] | AmountForm)[];
  /**
   * The mean of the ratio of at most so many periods. Default 1.
   */
  average?: number;
  /**
   * The ratio is taken after the payment, and counts from the next period on. Default false.
   */
  after_payment?: boolean;
}
export interface StructureExplanation {
  /**
   * Identifier, `pool_…`.
   */
  pool_id: string;
  /**
   * Version of the structure that is explained.
   */
  structure_version: number;
  /**
   * Dates, accrual, rounding, losses and other conventions of the whole deal.
   */
  payment: string[];
  tranches: ExplainedTranche[];
  accounts: ExplainedAccount[];
  fees: ExplainedFee[];
  /**
   * The waterfall, in order.
   */
  steps: ExplainedStep[];
  triggers: ExplainedTrigger[];
  calls: ExplainedCall[];
  /**
   * What the structure says and most likely does not mean. Warnings: they refuse nothing.
   */
  findings: StructureFinding[];
}
export interface StructureExplanationResponse {
  success: true;
  data: StructureExplanation;
}
export interface StructureTemplate {
  /**
   * Identifier.
   */
  template: string;
  name: string;
  loan_type: LoanType;
  /**
   * What is special in it.
   */
  description: string;
  /**
   * Empty where the template follows no deal by name. The `clause` of a step is one of the first of these deals.
   */
  follows: FollowedDeal[];
  /**
   * Values that are examples in the template.
   */
  must_set: TemplateGap[];
}
export interface TemplateGap {
  /**
   * Path in the structure.
   */
  path: string;
  /**
   * What the deal at hand decides there.
   */
  message: string;
}
export interface StructureTemplateDetail {
  /**
   * Identifier.
   */
  template: string;
  name: string;
  loan_type: LoanType;
  /**
   * What is special in it.
   */
  description: string;
  /**
   * Empty where the template follows no deal by name. The `clause` of a step is one of the first of these deals.
   */
  follows: FollowedDeal[];
  /**
   * Values that are examples in the template.
   */
  must_set: TemplateGap[];
  /**
   * A structure, as a pool takes it.
   */
  structure: {
    [k: string]: unknown;
  };
}
export interface StructureTemplateDetailResponse {
  success: true;
  data: StructureTemplateDetail;
}
export interface StructureTemplates {
  templates: StructureTemplate[];
}
export interface StructureTemplatesResponse {
  success: true;
  data: StructureTemplates;
}
export interface StructuredPool {
  /**
   * Identifier, `pool_…`.
   */
  pool_id: string;
  name: string;
  status: PoolStatus;
  /**
   * Items: Identifier, `deal_…`.
   */
  deal_ids: string[];
  loan_type: LoanType;
  loan_count: number;
  /**
   * Current balance of the loans. In currency units, 2 decimals.
   */
  balance: number;
  /**
   * Balance-weighted rate, percent a year; loans without a rate are left out.
   */
  wac: number | null;
  /**
   * Balance-weighted remaining term, months; null for cards.
   */
  wam: number | null;
  /**
   * Calendar date, YYYY-MM-DD.
   */
  cut_off_date: string;
  /**
   * Calendar date, YYYY-MM-DD.
   */
  closing_date: string;
  offering: Offering;
  /**
   * When the originator requested the issue.
   */
  issue_requested_at: string | null;
  /**
   * The securitization deal, once issued.
   */
  deal_id: string | null;
  /**
   * Instant, ISO 8601 UTC with milliseconds.
   */
  created_at: string;
  /**
   * Instant, ISO 8601 UTC with milliseconds.
   */
  updated_at: string;
  /**
   * Loan rules that every loan of the pool meets, or null.
   */
  filter: {
    [k: string]: unknown;
  };
  /**
   * Items: Identifier, `scj_…`.
   */
  sc_job_ids: string[];
  /**
   * Deal → version of its tape.
   */
  tape_versions: {
    /**
     * This interface was referenced by `undefined`'s JSON-Schema definition
     * via the `patternProperty` "^.*$".
     */
    [k: string]: number;
  };
  /**
   * Values that the tapes lack, and what is used instead.
   */
  warnings: string[];
  fingerprinted: Fingerprinted | null;
  /**
   * The structure as it was sent, or null.
   */
  structure: {
    [k: string]: unknown;
  };
  /**
   * Incremented with every new structure; 0 before the first.
   */
  structure_version: number;
  /**
   * Servicer reports begin with the issue of the pool.
   */
  last_remittance: null;
}
export interface StructuredPoolResponse {
  success: true;
  data: StructuredPool;
}
export interface Subscription {
  /**
   * Identifier, `sub_…`.
   */
  subscription_id: string;
  status: SubscriptionStatus;
  /**
   * Identifier, `deal_…`.
   */
  deal_id: string;
  /**
   * Identifier, `trn_…`.
   */
  tranche_id: string;
  /**
   * Amount committed. In currency units, 2 decimals.
   */
  subscription_amount: number;
  compliance_check_result: ComplianceResult;
  compliance_checks: ComplianceCheck[];
  /**
   * Identifier, `ioi_…`.
   */
  ioi_id: string | null;
  /**
   * When the operator confirmed it.
   */
  confirmed_at: string | null;
  /**
   * When face was first allotted to it.
   */
  allocated_at: string | null;
  /**
   * When the first cash leg of its trades was confirmed.
   */
  funded_at: string | null;
  /**
   * When the last of its trades settled, or the last that was open beside a settled one ended.
   */
  settled_at: string | null;
  /**
   * Why it ended; null while it has not.
   */
  reason: string | null;
  /**
   * Time priority: where bids tie, the earlier one comes first. That of the creation, or of the last raise.
   */
  placed_at: string;
  /**
   * Instant, ISO 8601 UTC with milliseconds.
   */
  created_at: string;
  /**
   * Instant, ISO 8601 UTC with milliseconds.
   */
  updated_at: string;
}
export interface SubscriptionCheck {
  /**
   * Identifier, `deal_…`.
   */
  deal_id: string;
  /**
   * Identifier, `trn_…`.
   */
  tranche_id: string;
  /**
   * Amount that was checked. In currency units, 2 decimals.
   */
  subscription_amount: number;
  compliance_check_result: ComplianceResult;
  compliance_checks: ComplianceCheck[];
}
export interface SubscriptionCheckResponse {
  success: true;
  data: SubscriptionCheck;
}
export interface SubscriptionPage {
  success: true;
  data: Subscription[];
  pagination: Pagination;
}
export interface SubscriptionResponse {
  success: true;
  data: Subscription;
}
export interface SubscriptionStatusChangedData {
  subscription_id: string;
  deal_id: string;
  tranche_id: string;
  amount: number;
  previous_status: string;
  current_status: string;
  reason: string | null;
}
export interface SubscriptionStatusChangedMessage {
  event: 'subscription.status_changed';
  /**
   * Time of the event; messages may arrive out of order.
   */
  timestamp: string;
  data: SubscriptionStatusChangedData;
}
export interface TapeCheck {
  loan_type: string;
  rows: number;
  accepted: number;
  rejected: number;
  /**
   * Balance of the accepted rows. In currency units, 2 decimals.
   */
  total_balance: number;
  balance_basis: string;
  needs_mapping: boolean;
  /**
   * More than 10 % of the rows were rejected.
   */
  qc_failed: boolean;
  issue_counts: IssueCounts;
  /**
   * Calendar date, YYYY-MM-DD.
   */
  as_of_date: string | null;
  mapping: Mapping;
  decisions: string[];
  tape_findings: unknown[];
  statistics: unknown;
  /**
   * The first 1,000.
   */
  issues: Finding[];
}
export interface TapeCheckResponse {
  success: true;
  data: TapeCheck;
}
export interface TapeCheckedData {
  pool_id: string;
  deal_id: string;
  /**
   * Payment period of the monthly tape.
   */
  period: number;
  /**
   * How many files were sent for the period.
   */
  version: number;
  /**
   * DONE, NEEDS_MAPPING, NEEDS_CONFIRMATION or FAILED.
   */
  state: string;
  errors: number;
  warnings: number;
  /**
   * Why the tape could not be read.
   */
  failure: string | null;
}
export interface TapeCheckedMessage {
  event: 'tape.checked';
  /**
   * Time of the event; messages may arrive out of order.
   */
  timestamp: string;
  data: TapeCheckedData;
}
export interface TapeDiff {
  added: number;
  removed: number;
  changed: number;
  roll_forward: {
    opening: number;
    added: number;
    removed: number;
    principal: number;
    charged_off: number;
    adjustment: number;
    closing: number;
  };
  /**
   * Items: Impossible changes: a balance that rose, a term that grew, a loan that came back.
   */
  breaks: {
    [k: string]: unknown;
  }[];
}
export interface TapeDiffResponse {
  success: true;
  data: TapeDiff;
}
export interface TapeLateData {
  pool_id: string;
  deal_id: string;
  /**
   * Payment period whose tape has not been read.
   */
  period: number;
  due_date: string;
}
export interface TapeLateMessage {
  event: 'tape.late';
  /**
   * Time of the event; messages may arrive out of order.
   */
  timestamp: string;
  data: TapeLateData;
}
export interface TapeVersion {
  version: number;
  file_name: string;
  format: string;
  mode: TapeMode;
  size: number;
  sha256: string;
  /**
   * The version that the file was merged into; null for a tape of its own.
   */
  merged_into: number | null;
  state: CheckState;
  rows: number;
  accepted: number;
  rejected: number;
  /**
   * Balance of the accepted rows. In currency units, 2 decimals.
   */
  total_balance: number;
  /**
   * Calendar date, YYYY-MM-DD.
   */
  as_of_date: string | null;
  /**
   * Instant, ISO 8601 UTC with milliseconds.
   */
  created_at: string;
  /**
   * Instant, ISO 8601 UTC with milliseconds.
   */
  completed_at: string | null;
}
export interface TapeVersionListResponse {
  success: true;
  data: TapeVersion[];
}
export interface TestWebhook {
  event: EventName;
}
export interface Trade {
  /**
   * Identifier, `trd_…`.
   */
  trade_id: string;
  /**
   * Identifier, `deal_…`.
   */
  deal_id: string;
  /**
   * Identifier, `trn_…`.
   */
  tranche_id: string;
  /**
   * Identifier, `all_…`.
   */
  allocation_id: string;
  side: 'BUY';
  /**
   * Original face. In currency units, 2 decimals.
   */
  face: number;
  /**
   * Current balance over original balance of the tranche.
   */
  factor: number;
  /**
   * Clean, per 100 of current face.
   */
  price: number;
  /**
   * Percent a year.
   */
  yield: number | null;
  /**
   * Current face at the price. In currency units, 2 decimals.
   */
  principal_amount: number;
  /**
   * Interest from the dated date to settlement; 0 while the coupon is not known, such as of a floater before a fixing, and by the coupon of its accrual when it settles. In currency units, 2 decimals.
   */
  accrued_interest: number;
  /**
   * Principal amount and accrued interest: the cash that moves. In currency units, 2 decimals.
   */
  net_amount: number;
  /**
   * Calendar date, YYYY-MM-DD.
   */
  trade_date: string;
  /**
   * The later of the closing date and the business day after the trade.
   */
  settlement_date: string;
  status: TradeStatus;
  reason: string | null;
  /**
   * Instant, ISO 8601 UTC with milliseconds.
   */
  settled_at: string | null;
  /**
   * Instant, ISO 8601 UTC with milliseconds.
   */
  created_at: string;
  /**
   * Instant, ISO 8601 UTC with milliseconds.
   */
  updated_at: string;
}
export interface TradeCancelledData {
  trade_id: string;
  deal_id: string;
  tranche_id: string;
  face: number;
  net_amount: number;
  settlement_date: string;
  cancelled_at: string;
  reason: string | null;
}
export interface TradeCancelledMessage {
  event: 'trade.cancelled';
  /**
   * Time of the event; messages may arrive out of order.
   */
  timestamp: string;
  data: TradeCancelledData;
}
export interface TradeFailedData {
  trade_id: string;
  deal_id: string;
  tranche_id: string;
  face: number;
  net_amount: number;
  settlement_date: string;
  failed_at: string;
  reason: string | null;
}
export interface TradeFailedMessage {
  event: 'trade.failed';
  /**
   * Time of the event; messages may arrive out of order.
   */
  timestamp: string;
  data: TradeFailedData;
}
export interface TradePage {
  success: true;
  data: Trade[];
  pagination: Pagination;
}
export interface TradeReason {
  /**
   * Reason, kept with the trade and in the audit log, and told to both sides; the buyer’s name is left out for the seller.
   */
  reason?: string;
}
export interface TradeResponse {
  success: true;
  data: Trade;
}
export interface TradeRetriedData {
  trade_id: string;
  deal_id: string;
  tranche_id: string;
  face: number;
  net_amount: number;
  settlement_date: string;
  retried_at: string;
  reason: string | null;
}
export interface TradeRetriedMessage {
  event: 'trade.retried';
  /**
   * Time of the event; messages may arrive out of order.
   */
  timestamp: string;
  data: TradeRetriedData;
}
export interface TradeSettledData {
  trade_id: string;
  deal_id: string;
  tranche_id: string;
  face: number;
  net_amount: number;
  settlement_date: string;
  settled_at: string;
}
export interface TradeSettledMessage {
  event: 'trade.settled';
  /**
   * Time of the event; messages may arrive out of order.
   */
  timestamp: string;
  data: TradeSettledData;
}
export interface TriggerNearData {
  pool_id: string;
  deal_id: string;
  period: number;
  payment_date: string;
  trigger: string;
  tests: {
    metric: string;
    op: string;
    actual: number | null;
    threshold: number | null;
    /**
     * Distance to the threshold; negative beyond it.
     */
    headroom: number | null;
  }[];
}
export interface TriggerNearMessage {
  event: 'trigger.near';
  /**
   * Time of the event; messages may arrive out of order.
   */
  timestamp: string;
  data: TriggerNearData;
}
export interface UnreadAlerts {
  total: number;
  by_priority: {
    /**
     * This interface was referenced by `undefined`'s JSON-Schema definition
     * via the `patternProperty` "^.*$".
     */
    [k: string]: number;
  };
  by_category: {
    /**
     * This interface was referenced by `undefined`'s JSON-Schema definition
     * via the `patternProperty` "^.*$".
     */
    [k: string]: number;
  };
}
export interface UnreadAlertsResponse {
  success: true;
  data: UnreadAlerts;
}
export interface Upload {
  file_name: string;
  /**
   * Storage key of the file.
   */
  file_key: string;
  /**
   * Send the bytes here with PUT, without a key, before it expires.
   */
  upload_url: string;
  /**
   * Headers that the PUT must carry.
   */
  upload_headers: {
    /**
     * This interface was referenced by `undefined`'s JSON-Schema definition
     * via the `patternProperty` "^.*$".
     */
    [k: string]: string;
  };
  /**
   * When the address stops working: 15 minutes after it was made.
   */
  expires_at: string;
  /**
   * Largest file, in bytes.
   */
  max_bytes: number;
}
export interface UploadResponse {
  success: true;
  data: Upload;
}
export interface UploadedFile {
  file_key: string;
  size: number;
  sha256: string;
}
export interface UploadedFileResponse {
  success: true;
  data: UploadedFile;
}
export interface VerifiedRemittance {
  verification: Verification;
}
export interface VerifiedRemittanceResponse {
  success: true;
  data: VerifiedRemittance;
}
export interface Vintages {
  unit: VintageUnit;
  vintages: Vintage[];
  /**
   * Between tape versions that follow each other, loans matched by id; empty for a deal with one version.
   */
  roll_rates: RollRates[];
  /**
   * Terms and ages are as of this date: the tape’s, or the pool’s cut-off.
   */
  as_of: string;
  /**
   * Deal → version of its tape.
   */
  tape_versions: {
    /**
     * This interface was referenced by `undefined`'s JSON-Schema definition
     * via the `patternProperty` "^.*$".
     */
    [k: string]: number;
  };
  engine_version: string;
}
export interface VintagesResponse {
  success: true;
  data: Vintages;
}
export interface Waiver {
  /**
   * Identifier, `wvr_…`.
   */
  waiver_id: string;
  /**
   * Identifier, `org_…`.
   */
  organization_id: string;
  /**
   * Identifier, `deal_…`.
   */
  deal_id: string;
  /**
   * Identifier, `exf_…`.
   */
  exception_file_id: string;
  /**
   * Identifier, `crt_…`.
   */
  criteria_id: string;
  rule_id: string;
  loan_ids: string[];
  reason: string;
  status: WaiverStatus;
  requested_by: string;
  decided_by: string | null;
  /**
   * Instant, ISO 8601 UTC with milliseconds.
   */
  decided_at: string | null;
  /**
   * The reason that the operator gave for its decision.
   */
  decision_reason: string | null;
  /**
   * Instant, ISO 8601 UTC with milliseconds.
   */
  created_at: string;
}
export interface WaiverDecidedData {
  waiver_id: string;
  deal_id: string;
  exception_file_id: string;
  rule_id: string;
  status: string;
  reason: string | null;
}
export interface WaiverDecidedMessage {
  event: 'waiver.decided';
  /**
   * Time of the event; messages may arrive out of order.
   */
  timestamp: string;
  data: WaiverDecidedData;
}
export interface WaiverPage {
  success: true;
  data: Waiver[];
  pagination: Pagination;
}
export interface WaiverResponse {
  success: true;
  data: Waiver;
}
export interface WatchedDeal {
  /**
   * Identifier, `deal_…`.
   */
  id: string;
  /**
   * Identifier, `deal_…`.
   */
  deal_id: string;
  name: string;
  asset_type: LoanType;
  /**
   * Sum of the offered tranches. In currency units, 2 decimals.
   */
  dealSize: number;
  /**
   * Percent a year, weighted by original face: at the mark, else the coupon.
   */
  wa_yield: number;
  /**
   * Share of the offered face whose yield is known and in wa_yield, 0 to 1: a floater without a mark and a fixing has none.
   */
  wa_yield_coverage: number;
  /**
   * Weighted average life in years; null before a mark.
   */
  wal: number | null;
  originator: string;
  status: string;
  market_status: MarketStatus;
  /**
   * Offered tranches.
   */
  tranche_count: number;
  /**
   * Smallest denomination of an offered tranche. In currency units, 2 decimals.
   */
  minimum_investment: number | null;
  /**
   * Calendar date, YYYY-MM-DD.
   */
  closing_date: string;
  /**
   * Instant, ISO 8601 UTC with milliseconds.
   */
  watched_at: string;
}
export interface WatchedDealPage {
  success: true;
  data: WatchedDeal[];
  pagination: Pagination;
}
export interface WatchedDealResponse {
  success: true;
  data: WatchedDeal;
}
export interface WebhookSubscription {
  /**
   * Identifier, `whs_…`.
   */
  id: string;
  /**
   * The same as `id`.
   */
  subscription_id: string;
  url: string;
  events: EventName[];
  /**
   * False: nothing is sent until it is set to true.
   */
  active: boolean;
  disabled_reason: DisabledReason | null;
  /**
   * Instant, ISO 8601 UTC with milliseconds.
   */
  disabled_at: string | null;
  /**
   * Since when every delivery has failed; null when the last one did not.
   */
  failing_since: string | null;
  /**
   * Until when the secret before the last rotation stays valid.
   */
  previous_secret_expires_at: string | null;
  /**
   * Instant, ISO 8601 UTC with milliseconds.
   */
  created_at: string;
  /**
   * Instant, ISO 8601 UTC with milliseconds.
   */
  updated_at: string;
}
export interface WebhookSubscriptionPage {
  success: true;
  data: WebhookSubscription[];
  pagination: Pagination;
}
export interface WebhookSubscriptionResponse {
  success: true;
  data: WebhookSubscription;
}
export interface WebhookSubscriptionWithSecret {
  /**
   * Identifier, `whs_…`.
   */
  id: string;
  /**
   * The same as `id`.
   */
  subscription_id: string;
  url: string;
  events: EventName[];
  /**
   * False: nothing is sent until it is set to true.
   */
  active: boolean;
  disabled_reason: DisabledReason | null;
  /**
   * Instant, ISO 8601 UTC with milliseconds.
   */
  disabled_at: string | null;
  /**
   * Since when every delivery has failed; null when the last one did not.
   */
  failing_since: string | null;
  /**
   * Until when the secret before the last rotation stays valid.
   */
  previous_secret_expires_at: string | null;
  /**
   * Instant, ISO 8601 UTC with milliseconds.
   */
  created_at: string;
  /**
   * Instant, ISO 8601 UTC with milliseconds.
   */
  updated_at: string;
  /**
   * Signing secret, `whsec_…`. Only this response shows it.
   */
  secret: string;
}
export interface WebhookSubscriptionWithSecretResponse {
  success: true;
  data: WebhookSubscriptionWithSecret;
}
export interface WithdrawDeal {
  /**
   * Reason, shown to everyone concerned.
   */
  reason: string;
}
