package dev.headway.probes.csv.training;

import dev.headway.probes.csv.table.Table;

/** The columns of {@code egress.csv}. */
final class EgressColumns {

  private EgressColumns() {}

  static Table<EgressRow> table(RunColumns runColumns) {
    final Table.Builder<EgressRow> table =
        Table.named(
            "egress.csv",
            "One row per request whose answer left the server; none where no server reported it.",
            "In the order in which they left.");
    table
        .run(row -> row.run().index())
        .integer(
            "request_number",
            "",
            "Order of arrival in its run.",
            row -> row.request().queued().requestNumber())
        .integer(
            "finished_ns",
            "ns",
            "Instant at which it ended in the engine; split by it, not at random.",
            row -> row.end().atNs())
        .integer(
            "alpha_egress_ns",
            "ns",
            "Target: from its end in the engine until the last byte was handed to the transport.",
            EgressRow::egressNs)
        .integer(
            "first_response_ns",
            "ns",
            "Target: from its first token until that reached the server's own code.",
            EgressRow::firstNs)
        .integer("output_tokens", "tokens", "Outputs.", row -> row.end().outputTokens());
    runColumns.append(table, EgressRow::run);
    return table.build();
  }
}
