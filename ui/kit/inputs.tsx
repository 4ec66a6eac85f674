/** Fields of forms in all states. */
import { RequestFailure } from '../api/failure.ts'
import { Field } from '../parts/field.tsx'
import { FormFailure } from '../parts/form.tsx'
import { SearchField } from '../parts/search-field.tsx'
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
        <label class="check">
          <input type="checkbox" defaultChecked /> I have stored the key
        </label>
        <SearchField label="Search by id or alias" value="" onSearch={() => undefined} />
      </div>
    </Section>
  )
}
