import type { ComponentChildren } from 'preact'
import { useEffect, useRef } from 'preact/hooks'
import { useModal } from '../parts/dialog.tsx'
import { Icon } from '../parts/icon.tsx'
import { Mark } from '../parts/mark.tsx'
import { texts } from '../texts/texts.ts'

interface RailSheetProps {
  readonly onClose: () => void
  readonly children: ComponentChildren
}

/** Shows the rail over a narrow page. Esc, a press beside it and a wide window close it. */
export function RailSheet({ onClose, children }: RailSheetProps) {
  const sheet = useRef<HTMLDialogElement>(null)
  useModal(sheet)
  useEffect(() => {
    const wide = matchMedia('(width >= 1024px)')
    wide.addEventListener('change', onClose)
    return () => wide.removeEventListener('change', onClose)
  }, [onClose])

  const closeBeside = (event: MouseEvent) => {
    if (event.target !== event.currentTarget) return
    // The press would take the focus from the menu's button.
    event.preventDefault()
    onClose()
  }
  return (
    <dialog ref={sheet} class="rail-sheet" aria-label={texts.shell.menu} onCancel={onClose} onMouseDown={closeBeside}>
      <div class="rail">
        <div class="rail-sheet-head">
          <Mark />
          <button type="button" class="quiet" onClick={onClose}>
            <Icon name="x" /> <span class="unseen">{texts.shared.close}</span>
          </button>
        </div>
        {children}
      </div>
    </dialog>
  )
}
