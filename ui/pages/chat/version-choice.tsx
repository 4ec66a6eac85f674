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
  return (
    <fieldset class="versions" aria-label={label}>
      <Step name={texts.chat.previous} icon="chevron-left" to={ids[index - 1]} onChoose={onChoose} />
      <span role="status">{texts.chat.versionOf(index + 1, ids.length)}</span>
      <Step name={texts.chat.next} icon="chevron-right" to={ids[index + 1]} onChoose={onChoose} />
    </fieldset>
  )
}

interface StepProps {
  readonly name: string
  readonly icon: 'chevron-left' | 'chevron-right'
  /** Undefined at the first and last version. */
  readonly to: number | undefined
  readonly onChoose: (id: number) => void
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
      onClick={() => to !== undefined && onChoose(to)}
    >
      <Icon name={icon} />
    </button>
  )
}
