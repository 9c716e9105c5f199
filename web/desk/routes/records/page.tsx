import { useParams } from '@tanstack/react-router';
import { RecordView } from './record.tsx';

/** `/records/{kind}/{id}` */
export function RoutePage() {
  const { kind, id } = useParams({ strict: false }) as { kind: string; id: string };
  return <RecordView key={`${kind}/${id}`} kind={kind} id={Number(id)} />;
}
