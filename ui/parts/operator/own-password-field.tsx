import type { ComponentProps } from 'preact'
import { texts } from '../../texts/operator-texts.ts'
import { Field } from '../field.tsx'

type OwnPasswordFieldProps = Pick<ComponentProps<typeof Field>, 'hint' | 'required' | 'isFirst' | 'onInput'>

/** Asks operators for their own password, which operations take as `current`. The hint says why. */
export function OwnPasswordField(props: OwnPasswordFieldProps) {
  return <Field label={texts.operator.ownPassword} name="current" type="password" {...props} />
}
