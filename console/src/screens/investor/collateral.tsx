import type { ReactNode } from 'react';
import { loansOnMarket } from '../analytics/loan-source.ts';
import { LoanAnalytics } from '../analytics/loans.tsx';

/** The loans behind a deal, in groups, by vintage and by risk. */
export const Collateral = ({ dealId }: { dealId: string }): ReactNode => <LoanAnalytics source={loansOnMarket(dealId)} />;
