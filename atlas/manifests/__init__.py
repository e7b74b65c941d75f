"""ISA and dispatch manifests as events: what is inspected once is never inspected again."""
