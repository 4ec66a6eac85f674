/** Limits of an account or a key: what is left of them, and a form that changes them. */
import type { AccountAnswers } from '../../src/operations/account-answers.ts'
import type { OperationInput } from '../../src/operations/operations.ts'
import type { Answer } from '../api/use-answer.ts'
import { texts } from '../texts/texts.ts'
import { announce } from './announce.tsx'
import { Dialog } from './dialog.tsx'
import { Field } from './field.tsx'
import { Figures } from './figures.tsx'
import { Form } from './form.tsx'
import { Loaded } from './loaded.tsx'
import { moneyText } from './money-text.ts'
import { exactTime } from './time-text.ts'

export type LimitState = AccountAnswers['limits-show']
type LimitsInput = Omit<OperationInput<'limits-set'>, 'subject'>
type LimitName = keyof typeof texts.limits.names

export const limitNames = Object.keys(texts.limits.names) as LimitName[] // Object.keys forgets the key type of a constant
const lists: readonly LimitName[] = ['models', 'endpoints', 'networks']
const amounts: readonly LimitName[] = ['dailyUsd', 'monthlyUsd']

/** Returns whether any limit is in force. */
export function hasLimits(state: LimitState): boolean {
  return limitNames.some((name) => state[name] !== null)
}

/** Shows the limits in force and what is left of them. */
export function LimitFigures({ state }: { readonly state: LimitState }) {
  const words = texts.limits
  const { running, requestsLeft, tokensLeft, requestsPerMinute, tokensPerMinute, parallel } = state
  const count = (name: LimitName, limit: number | null, left: number | null) =>
    limit === null
      ? []
      : [[words.names[name], left === null ? String(limit) : words.left(`${left}`, `${limit}`)] as const]
  const items = [
    ...state.budgets.map(({ per, leftUsd, limitUsd, resetMs }) => {
      const left = words.left(moneyText(leftUsd).text, moneyText(limitUsd).text)
      const name = words.names[per === 'day' ? 'dailyUsd' : 'monthlyUsd']
      return [
        name,
        <span key={per} title={words.until(exactTime(resetMs))}>
          {left}
        </span>,
      ] as const
    }),
    ...count('requestsPerMinute', requestsPerMinute, requestsLeft),
    ...count('tokensPerMinute', tokensPerMinute, tokensLeft),
    ...(parallel === null ? [] : [[words.names.parallel, words.running(`${running ?? 0}`, `${parallel}`)] as const]),
    ...(['models', 'endpoints', 'networks'] as const).flatMap((name) => {
      const allowed = state[name]
      return allowed === null ? [] : [[words.names[name], allowed.join(', ') || words.nothing] as const]
    }),
  ]
  return items.length === 0 ? <p class="muted">{words.none}</p> : <Figures items={items} />
}

interface LimitsDialogProps {
  readonly title: string
  readonly answer: Answer<LimitState>
  /** Limits that may be changed. Defaults to all. */
  readonly changeable?: readonly LimitName[]
  /** True to tell that the operator's limits bind beside those of the form. */
  readonly isNarrowing?: boolean
  readonly onClose: () => void
  readonly onSend: (changes: LimitsInput) => Promise<unknown>
}

/** Shows limits, and changes them. */
export function LimitsDialog({
  title,
  answer,
  changeable = limitNames,
  isNarrowing,
  onClose,
  onSend,
}: LimitsDialogProps) {
  const words = texts.limits
  const hints: Readonly<Record<string, string>> = words.hints
  return (
    <Dialog title={title} onClose={onClose}>
      <Loaded answer={answer}>
        {(state) => (
          <div class="stack">
            <LimitFigures state={state} />
            <Form
              button={words.save}
              onCancel={onClose}
              onSend={async (field) => {
                await onSend(changesOf(state, changeable, field))
                announce(words.saved)
                onClose()
              }}
            >
              {changeable.map((name) => (
                <Field
                  key={name}
                  label={words.names[name]}
                  name={name}
                  {...(name in hints && { hint: hints[name] ?? '' })}
                  defaultValue={textOf(state.own[name])}
                  {...(!lists.includes(name) && { inputMode: amounts.includes(name) ? 'decimal' : 'numeric' })}
                />
              ))}
              {isNarrowing === true && <p class="hint">{words.ofOperator}</p>}
            </Form>
          </div>
        )}
      </Loaded>
    </Dialog>
  )
}

function textOf(limit: LimitState['own'][LimitName]): string {
  if (limit === null) return ''
  return typeof limit === 'object' ? limit.join(', ') : String(limit)
}

/** Returns the fields that were changed: those with a value, and those that were emptied. */
function changesOf(state: LimitState, changeable: readonly LimitName[], field: (name: string) => string): LimitsInput {
  const changed = changeable.filter((name) => field(name) !== textOf(state.own[name]))
  const set = changed.filter((name) => field(name) !== '').map((name) => [name, readValue(name, field(name))])
  const remove = changed.filter((name) => field(name) === '')
  return { ...Object.fromEntries(set), ...(remove.length > 0 && { remove }) } // the server checks it
}

function readValue(name: LimitName, text: string): unknown {
  if (lists.includes(name)) return text.split(/[\s,]+/).filter((item) => item !== '')
  if (amounts.includes(name)) return text.replace(/^\$/, '')
  return /^\d+$/.test(text) ? Number(text) : text
}
