import { Icon } from '../../parts/icon.tsx'
import { texts } from '../../texts/texts.ts'
import type { Versions } from './kept/tree.ts'

interface VersionChoiceProps {
  readonly label: string
  readonly versions: Versions
  /** Called with an exchange of the chosen version. */
  readonly onChoose: (id: number) => void
}

/** Shows which version of a message is seen, such as "2 of 3", with the ways to its neighbours. */
export function VersionChoice({ label, versions: { ids, index }, onChoose }: VersionChoiceProps) {
  if (ids.length < 2) return null
  const choose = (id: number, button: string) => {
    onChoose(id)
    focusAgain(id, label, button)
  }
  return (
    <fieldset class="versions" aria-label={label}>
      <Step name={texts.chat.previous} icon="chevron-left" to={ids[index - 1]} onChoose={choose} />
      <span role="status">{texts.chat.versionOf(index + 1, ids.length)}</span>
      <Step name={texts.chat.next} icon="chevron-right" to={ids[index + 1]} onChoose={choose} />
    </fieldset>
  )
}

interface StepProps {
  readonly name: string
  readonly icon: 'chevron-left' | 'chevron-right'
  /** Undefined at the first and last version. */
  readonly to: number | undefined
  readonly onChoose: (id: number, button: string) => void
}

function Step({ name, icon, to, onChoose }: StepProps) {
  return (
    <button
      type="button"
      class="quiet icon-button"
      title={name}
      aria-label={name}
      // A disabled button would lose the focus.
      aria-disabled={to === undefined}
      onClick={() => to !== undefined && onChoose(to, name)}
    >
      <Icon name={icon} />
    </button>
  )
}

/** Moves the focus to the same button of the version that is shown instead, once that is drawn. */
function focusAgain(exchange: number, group: string, button: string): void {
  const selector = `[data-exchange="${exchange}"] [aria-label="${group}"] [aria-label="${button}"]`
  setTimeout(() => document.querySelector<HTMLElement>(selector)?.focus())
}
