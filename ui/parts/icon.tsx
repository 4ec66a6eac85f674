import type { IconName } from '../icon-names.ts'
import sprite from '../icons.svg'

/** An icon beside words, which say what it means. */
export function Icon({ name }: { readonly name: IconName }) {
  return (
    <svg class="icon" aria-hidden="true">
      <use href={`${sprite}#${name}`} />
    </svg>
  )
}
