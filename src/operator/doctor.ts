import { Type } from '@sinclair/typebox'
import { operation } from './operation.ts'

/** Whether the database is whole and the money adds up. */
export const doctor = operation({
  kind: 'read',
  input: Type.Object({}),
  run: ({ stores }) => stores.integrity.check(),
})
