import type { ComponentChildren } from 'preact'
import type { IconName } from '../icon-names.ts'
import { Icon } from './icon.tsx'

interface IconButtonProps {
  readonly icon: IconName
  /** Name for screen readers, and the hint under the pointer. */
  readonly label: string
  /** Keys that do the same, such as Alt+N. */
  readonly keys?: string
  readonly onClick: () => void
  readonly isDisabled?: boolean
  /** State of a button that stays pressed. */
  readonly isPressed?: boolean
  /** State of a button that unfolds something, whose id is `controls`. */
  readonly isExpanded?: boolean
  readonly controls?: string
  /** Shown after the icon, such as a count. */
  readonly children?: ComponentChildren
}

/** Shows a quiet button that is an icon alone. */
export function IconButton(props: IconButtonProps) {
  const { icon, label, keys, onClick, isDisabled, isPressed, isExpanded, controls, children } = props
  return (
    <button
      type="button"
      class="quiet icon-button"
      title={keys === undefined ? label : `${label} (${keys})`}
      aria-keyshortcuts={keys}
      disabled={isDisabled}
      aria-pressed={isPressed}
      aria-expanded={isExpanded}
      aria-controls={isExpanded === true ? controls : undefined}
      onClick={onClick}
    >
      <Icon name={icon} />
      <span class="unseen">{label}</span>
      {children}
    </button>
  )
}
