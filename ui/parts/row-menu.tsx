import { useState } from 'preact/hooks'

export interface MenuItem {
  readonly label: string
  readonly onChoose: () => void
  readonly isDangerous?: boolean
  readonly isDisabled?: boolean
}

interface RowMenuProps {
  /** Accessible name, such as "Actions of Qwen3-8B". */
  readonly label: string
  readonly items: readonly MenuItem[]
  /** False if Tab passes the menu, because the rows of its list are reached by arrow keys. */
  readonly isStop?: boolean
}

/** Shows a row's actions behind three dots. Esc and loss of focus close it. */
export function RowMenu({ label, items, isStop = true }: RowMenuProps) {
  // A long list would draw the actions of every row.
  const [isOpen, setIsOpen] = useState(false)
  return (
    <details
      class="row-menu"
      onFocusOut={closeWhenLeft}
      onKeyDown={closeOnEscape}
      onToggle={({ currentTarget }) => setIsOpen(currentTarget.open)}
    >
      <summary tabIndex={isStop ? undefined : -1}>
        <span aria-hidden="true">⋮</span>
        <span class="unseen">{label}</span>
      </summary>
      <div class="menu">
        {(isOpen ? items : []).map(({ label: name, onChoose, isDangerous, isDisabled }) => (
          <button
            key={name}
            type="button"
            class={isDangerous === true ? 'danger' : undefined}
            disabled={isDisabled}
            onClick={({ currentTarget }) => {
              currentTarget.closest('details')?.removeAttribute('open')
              onChoose()
            }}
          >
            {name}
          </button>
        ))}
      </div>
    </details>
  )
}

/** Closes a menu when the focus goes elsewhere. */
export function closeWhenLeft({ currentTarget, relatedTarget }: FocusEvent): void {
  if (!(currentTarget instanceof HTMLDetailsElement) || relatedTarget === null) return
  if (!(relatedTarget instanceof Node && currentTarget.contains(relatedTarget))) currentTarget.open = false
}

/** Closes a menu at Escape and returns the focus to its button. */
export function closeOnEscape(event: KeyboardEvent): void {
  const { key, currentTarget } = event
  if (key !== 'Escape' || !(currentTarget instanceof HTMLDetailsElement) || !currentTarget.open) return
  // The dialog around the menu stays.
  event.preventDefault()
  event.stopPropagation()
  currentTarget.open = false
  currentTarget.querySelector('summary')?.focus()
}
