import type { ComponentChildren, RefObject } from 'preact'
import { useId, useLayoutEffect, useRef } from 'preact/hooks'

interface DialogProps {
  readonly title: string
  readonly onClose: () => void
  /** True if Esc closes the dialog, and a click outside while nothing is typed. */
  readonly mayClose?: boolean
  /** Look of the dialog: `sheet` at the side, `wide` for content wider than a form. */
  readonly look?: 'sheet' | 'wide'
  readonly children: ComponentChildren
}

/** Opens a dialog element as a modal as long as it is rendered. The focus then returns to where it was. */
export function useModal(dialog: RefObject<HTMLDialogElement | null>): void {
  useLayoutEffect(() => {
    const shown = dialog.current
    const opener = document.activeElement
    shown?.showModal()
    return () => {
      shown?.close()
      if (opener instanceof HTMLElement) opener.focus()
    }
  }, [dialog])
}

/** Shows a modal dialog as long as it is rendered. */
export function Dialog({ title, onClose, mayClose = true, look, children }: DialogProps) {
  const dialog = useRef<HTMLDialogElement>(null)
  const titleId = useId()
  const isTyped = useRef(false)

  useModal(dialog)

  const leave = (event: Event) => {
    event.preventDefault()
    // A dialog may be opened from within another one, which stays.
    event.stopPropagation()
    if (mayClose) onClose()
  }

  return (
    <dialog
      ref={dialog}
      class={look}
      aria-labelledby={titleId}
      onCancel={leave}
      // Chrome closes a dialog at the second Esc without asking.
      onKeyDown={(event) => event.key === 'Escape' && leave(event)}
      onInput={() => {
        isTyped.current = true
      }}
      onMouseDown={(event) => event.target === event.currentTarget && !isTyped.current && leave(event)}
    >
      <div class="dialog-content">
        <h2 id={titleId}>{title}</h2>
        {children}
      </div>
    </dialog>
  )
}
