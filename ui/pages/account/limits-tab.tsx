import { useState } from 'preact/hooks'
import { perform, useResult } from '../../api/operation.ts'
import { mayPerform } from '../../api/session.ts'
import { LimitFigures, LimitsDialog, limitNames } from '../../parts/limits.tsx'
import { Loaded } from '../../parts/loaded.tsx'
import { May } from '../../parts/may.tsx'
import { texts } from '../../texts/operator-texts.ts'
import { type AccountPartProps, nameOf } from './account-name.ts'

/** Shows an account's limits with what is left, and changes them. */
export function LimitsTab({ account }: AccountPartProps) {
  const answer = useResult('limits-show', { subject: account.id })
  const [isOpen, setIsOpen] = useState(false)
  return (
    <div class="stack">
      <Loaded answer={answer}>{(state) => <LimitFigures state={state} />}</Loaded>
      <div>
        <May perform="limits-set">
          <button type="button" onClick={() => setIsOpen(true)}>
            {texts.limits.change}
          </button>
        </May>
      </div>
      {isOpen && (
        <SubjectLimits
          subject={account.id}
          name={nameOf(account)}
          onClose={() => {
            setIsOpen(false)
            void answer.reload()
          }}
        />
      )}
    </div>
  )
}

interface SubjectLimitsProps {
  /** Id of an account or a key */
  readonly subject: string
  readonly name: string
  readonly onClose: () => void
}

/** Shows and changes the limits of an account or a key. */
export function SubjectLimits({ subject, name, onClose }: SubjectLimitsProps) {
  const answer = useResult('limits-show', { subject })
  return (
    <LimitsDialog
      title={texts.limits.titleOf(name)}
      answer={answer}
      changeable={limitNames.filter((name) => mayPerform('limits-set', name))}
      onClose={onClose}
      onSend={(changes) => perform('limits-set', { subject, ...changes })}
    />
  )
}
