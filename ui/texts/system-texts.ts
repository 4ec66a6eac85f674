/** The texts of the System page, beside those of all operators' pages. */
import { system } from './en/system.ts'
import { texts as operator } from './operator-texts.ts'

export const texts = { ...operator, system }
