import { perform, useResult } from '../../api/own-operation.ts'
import { LimitsDialog } from '../../parts/limits.tsx'
import { texts } from '../../texts/texts.ts'
import type { OwnKey } from './key-table.tsx'

interface KeyLimitsProps {
  readonly limited: OwnKey
  readonly onClose: () => void
}

/** Shows the limits of an own key, and narrows them. */
export function KeyLimits({ limited: { id, name }, onClose }: KeyLimitsProps) {
  const answer = useResult('limits-show', { subject: id })
  return (
    <LimitsDialog
      title={texts.limits.titleOf(name)}
      answer={answer}
      isNarrowing
      onClose={onClose}
      onSend={(changes) => perform('limits-set', { subject: id, ...changes })}
    />
  )
}
