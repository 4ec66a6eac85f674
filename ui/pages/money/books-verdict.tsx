import type { OperationJson } from '../../../src/operations/money-text.ts'
import { perform, useResult } from '../../api/operation.ts'
import { ActionButton } from '../../parts/action-button.tsx'
import { Loaded } from '../../parts/loaded.tsx'
import { May } from '../../parts/may.tsx'
import { Time } from '../../parts/time.tsx'
import { texts } from '../../texts/operator-texts.ts'

type Diagnosis = NonNullable<OperationJson<'doctor-latest'>['latest']>

/** Shows the doctor's last verdict on the ledger and a button that repeats the check. */
export function BooksVerdict() {
  const answer = useResult('doctor-latest', {})
  const words = texts.money
  return (
    <Loaded answer={answer} lines={1}>
      {({ latest }) => (
        <section class="row books-verdict" aria-label={words.books}>
          {latest === null ? <p class="muted">{words.booksUnchecked}</p> : <Verdict diagnosis={latest} />}
          <May perform="doctor">
            <ActionButton
              onAct={async () => {
                await perform('doctor', {})
                await answer.reload()
              }}
            >
              {words.checkBooks}
            </ActionButton>
          </May>
        </section>
      )}
    </Loaded>
  )
}

function Verdict({ diagnosis: { checkedMs, checks } }: { readonly diagnosis: Diagnosis }) {
  const words = texts.money
  const found = checks.filter(({ name, verdict }) => name === 'database' && verdict !== 'ok')
  const color = found.some(({ verdict }) => verdict === 'bad') ? 'bad' : found.length > 0 ? 'warn' : 'ok'
  const sentence = { ok: words.booksAddUp, bad: words.booksWrong, warn: words.booksUnknown }[color]
  return (
    <div>
      <p>
        <b class={color}>{sentence}</b>{' '}
        <span class="muted">
          {words.booksChecked} <Time at={checkedMs} />.
        </span>
      </p>
      {found.map(({ text }) => (
        <p key={text}>{text}</p>
      ))}
      {found.length > 0 && <a href="/admin/system">{words.more}</a>}
    </div>
  )
}
