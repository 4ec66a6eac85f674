import type { IconName } from '../icon-names.ts'
import sprite from '../icons.svg'

/** Shows an icon beside words that say the same. */
export function Icon({ name }: { readonly name: IconName }) {
  return (
    <svg class="icon" aria-hidden="true">
      <use href={`${sprite}#${name}`} />
    </svg>
  )
}
