import { defineFields, type Field } from './field.ts';
import type { LoanType } from '../types.ts';

const CONTRACT_NUMBER = defineFields([
  {
    field: 'contract_number',
    type: 'string',
    range: { text: '1-64 chars; TEXT' },
    aliases: ['Contract Number', 'Contract No', 'Contract ID', 'Agreement Number', 'Agreement No', 'Note Number'],
    derive: 'CONTRACT_NUMBER',
    description: 'number of the contract with the obligor, which it keeps when the loan changes hands',
  },
]);

const VIN = defineFields([
  {
    field: 'vin',
    type: 'string',
    range: { text: '17 characters with a check digit; never I, O or Q' },
    aliases: ['VIN', 'Vehicle Identification Number', 'Vehicle ID Number', 'Vehicle VIN', 'VIN Number', 'Chassis Number'],
    description: 'vehicle identification number',
    source: 'ISO 3779; 49 CFR 565',
  },
]);

const PROPERTY_ID = defineFields([
  {
    field: 'property_id',
    type: 'string',
    range: { text: '1-64 chars; TEXT' },
    aliases: [
      'Property ID',
      'Property Identifier',
      'Parcel Number',
      'Parcel ID',
      'Assessor Parcel Number',
      'APN',
      'Title Number',
    ],
    description: 'identifier of the mortgaged property, such as its parcel number',
  },
]);

const INVOICE = defineFields([
  {
    field: 'invoice_number',
    type: 'string',
    range: { text: '1-64 chars; TEXT' },
    aliases: ['Invoice Number', 'Invoice No', 'Invoice ID'],
    description: 'number of the financed invoice',
  },
  {
    field: 'debtor',
    type: 'string',
    range: { text: '1-64 chars' },
    aliases: ['Debtor', 'Account Debtor', 'Debtor ID', 'Invoice Debtor'],
    description: 'who owes the invoice',
  },
]);

/** The fields that name the contract or the collateral of a loan: what shows that one loan is pledged twice. */
export const COLLATERAL_FIELDS: Record<LoanType, readonly Field[]> = {
  Auto: [...CONTRACT_NUMBER, ...VIN],
  Personal: CONTRACT_NUMBER,
  Mortgage: [...CONTRACT_NUMBER, ...PROPERTY_ID],
  Student: CONTRACT_NUMBER,
  Business: [...CONTRACT_NUMBER, ...INVOICE],
  'Credit Card': [],
};
