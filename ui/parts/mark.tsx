import mark from '../icon.svg'

/** Shows the product's mark beside its name. */
export function Mark() {
  return <img class="mark" src={mark} alt="" />
}
