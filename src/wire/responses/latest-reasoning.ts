import { presentFields } from '../check.ts'
import type { InputItem } from './parse-input.ts'

/** `reasoning` of the body with the effort that the last `configuration_update` of the history sets, if one does. */
export function latestReasoning(reasoning: unknown, items: readonly InputItem[]): unknown {
  let latest = reasoning
  for (const { type, item, path } of items) {
    if (type !== 'configuration_update' || item.reasoning === undefined) continue
    const { effort } = presentFields(item.reasoning, `${path}.reasoning`)
    if (effort !== undefined) latest = { ...presentFields(latest ?? {}, 'reasoning'), effort }
  }
  return latest
}

/** Whether thinking is shown as a summary, the one form that clients print; otherwise it comes as raw content. */
export function isSummaryWanted(reasoning: unknown): boolean {
  if (typeof reasoning !== 'object' || reasoning === null) return false
  const { summary, generate_summary } = presentFields(reasoning)
  const wish = summary ?? generate_summary
  return wish !== undefined && wish !== 'none'
}
