import { Mover } from '../../platform/moves.ts';
import type { RemittanceStatus, StoredRemittance } from './queries.ts';

/** The moves of a report. It is SCHEDULED until its payment date, and HELD there while somebody has to accept it; an applied one is restated. */
export const REMITTANCE_MOVES = new Mover<StoredRemittance, 'status', RemittanceStatus>({
  noun: 'report',
  table: 'remittances',
  key: ['remittance_id'],
  column: 'status',
  touches: 'updated_at',
  json: ['report', 'performance', 'triggers', 'verification'],
  moves: {
    SCHEDULED: ['APPLIED', 'HELD'],
    HELD: ['APPLIED'],
    APPLIED: [],
  },
});
