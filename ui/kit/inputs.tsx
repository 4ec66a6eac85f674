/** Fields of forms in all states. */
import { useState } from 'preact/hooks'
import { RequestFailure } from '../api/failure.ts'
import { Field } from '../parts/field.tsx'
import { FormFailure } from '../parts/form.tsx'
import { SearchField } from '../parts/search-field.tsx'
import { SecretBox } from '../parts/secret-box.tsx'
import { Select } from '../parts/select.tsx'
import { Section } from './section.tsx'

const refused = new RequestFailure('An account with this address exists.', {
  ...{ status: 409, code: 'exists', param: 'email' },
  ...{ requestId: undefined, retryAfterSeconds: undefined },
})

export function InputSections() {
  return (
    <Section name="Fields">
      <div class="cards">
        <Field label="Name" name="name" hint="Shown in the list of keys." defaultValue="laptop" />
        <Field label="Limit" name="limit" placeholder="none" />
        <FormFailure.Provider value={refused}>
          <Field label="Address" name="email" type="email" defaultValue="ada@example.org" />
        </FormFailure.Provider>
        <Select<'chat' | 'vision'>
          label="Type"
          value="chat"
          choices={{ chat: 'chat', vision: 'vision' }}
          onChange={() => undefined}
        />
        <SearchField label="Search by id or alias" value="" onSearch={() => undefined} />
        <Secrets />
      </div>
    </Section>
  )
}

/** A secret that is stored already, so that nothing asks before the page is left. */
function Secrets() {
  const [isStored, setIsStored] = useState(true)
  return (
    <div class="stack">
      <SecretBox label="API key" secret="sk-inferd-0123456789abcdef" isStored={isStored} onStored={setIsStored} />
    </div>
  )
}
