/** The texts of the System page's receivers, which are loaded with their tab. */
import { receivers } from './en/receivers.ts'
import { texts as system } from './system-texts.ts'

export const texts = { ...system, receivers }
