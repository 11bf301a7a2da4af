/** The head of a table: the names of its columns, each with the class of its cells if they have one. */
export function TableHead({
  columns,
}: {
  columns: readonly (string | readonly [name: string, cells: string])[];
}) {
  return (
    <thead>
      <tr>
        {columns.map((column) => {
          const [name, cells] = typeof column === 'string' ? [column] : column;
          return (
            <th key={name} scope="col" class={cells}>
              {name}
            </th>
          );
        })}
      </tr>
    </thead>
  );
}
