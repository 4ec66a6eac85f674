/** Tone of a state, which is shown as a sign and a word, never by colour alone */
export type StateTone = 'ok' | 'busy' | 'waiting' | 'bad' | 'off'

const signs: Readonly<Record<StateTone, string>> = { ok: '●', busy: '◐', waiting: '◔', bad: '▲', off: '○' }
const colours: Readonly<Record<StateTone, string>> = {
  ok: 'ok',
  busy: 'warn',
  waiting: 'muted',
  bad: 'bad',
  off: 'muted',
}

export function StateWord({ tone, word }: { readonly tone: StateTone; readonly word: string }) {
  return (
    <span class={`state-word ${colours[tone]}`}>
      <span aria-hidden="true">{signs[tone]}</span> {word}
    </span>
  )
}
