import type { TextModelSettings } from '../../../core/text-model-settings.ts'
import { requireEqual } from '../session/probe-provider.ts'
import type { SessionThread } from '../session/session-thread.ts'
import { added } from './added-names.ts'
import { toBatch } from './batch-feeds.ts'
import type { Pooled } from './pooling.ts'
import type { Reading } from './text-thread.ts'
import type { Row } from './waiting-rows.ts'

export function hasFusedAttention({ outputs }: Pick<SessionThread<Reading, Pooled>, 'outputs'>): boolean {
  return outputs.includes(added.fusedAttention)
}

/**
 * Rejects where the fused attention of the first layer gives the tokens of these rows something else than the graph's own nodes: its
 * mask may hide more than padding, or a kernel of the device may not be what it should be.
 */
export async function requireRightAttention(
  session: SessionThread<Reading, Pooled>,
  rows: readonly Row[],
  settings: TextModelSettings,
): Promise<void> {
  const compute = (output: string) => {
    const { feeds, lengths } = toBatch(rows, session.inputs, { ...settings, isCheck: true })
    return session.run({ feeds, output }, { type: 'tokens', lengths })
  }
  const own = await compute(added.ownAttention)
  const fused = await compute(added.fusedAttention)
  const rowNumbers = own.values.length / rows.length
  for (const [row, { ids }] of rows.entries()) {
    const part = [row * rowNumbers, row * rowNumbers + ids.length * own.dimensions] as const
    requireEqual(fused.values.subarray(...part), own.values.subarray(...part))
  }
}
