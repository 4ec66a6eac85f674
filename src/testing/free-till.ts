import type { Till } from '../inference/bill.ts'

/** Till that treats every account as unmetered and keeps no record. */
export const freeTill: Till = {
  check: () => ({ kind: 'unmetered' }),
  hold: async () => ({ kind: 'unmetered' }),
  resize: async () => ({ kind: 'held' }),
  settle: async () => ({ chargedNanoUsd: 0, balanceNanoUsd: 0 }),
  drop: async () => undefined,
  abandon: () => undefined,
}
