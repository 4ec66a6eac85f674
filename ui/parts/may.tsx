import type { ComponentChildren } from 'preact'
import type { OperationName } from '../../src/operations/operations.ts'
import { mayPerform } from '../api/session.ts'

interface MayProps {
  readonly perform: OperationName
  readonly children: ComponentChildren
}

/** Shows its children only where the server says that the signed-in staff may perform an operation. */
export function May({ perform, children }: MayProps) {
  return mayPerform(perform) ? children : null
}
