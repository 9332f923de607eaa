package dev.headway.probes.csv.projection;

import static dev.headway.api.Absent.ABSENT;

import dev.headway.probes.csv.table.ColumnType;
import dev.headway.probes.csv.table.Table;
import org.jspecify.annotations.Nullable;

/** The columns of {@code events.csv} and {@code state_transitions.csv}. */
final class EventColumns {

  private EventColumns() {}

  static Table<EventRow> events() {
    return Table.<EventRow>named(
            "events.csv",
            "One row per event; those of a scheduling decision stand at the end of scheduling.",
            "By timestamp within a run, equal ones as they were recorded.")
        .instant("timestamp", "Instant at which it took effect.", EventRow::timestampNs)
        .encoded("event_type", ColumnType.LABEL, "What happened.", EventRow::type)
        .encoded("request_id", ColumnType.TEXT, "Request of the event.", row -> id(row.request()))
        .json("details", "The event's own figures.", EventRow::details)
        .integer("run", "", "Which run of the journal, from 0.", row -> row.run().index())
        .integer(
            "request_number",
            "",
            "Order of arrival in its run, never reused.",
            row -> {
              final RequestIdentity request = row.request();
              return request == null ? ABSENT : request.number();
            })
        .integer(
            "iteration_id",
            "",
            "Iteration it belongs to; outside iterations the one planned last.",
            EventRow::iteration)
        .calendar(row -> IterationRow.calendarBeginNs(row.run()))
        .build();
  }

  static Table<TransitionRow> transitions() {
    return Table.<TransitionRow>named(
            "state_transitions.csv",
            "One row per change of a request's state.",
            "As they were recorded, a step's when its plan is complete.")
        .instant("timestamp", "Instant at which it took effect.", TransitionRow::timestampNs)
        .encoded("request_id", ColumnType.TEXT, "The caller's name.", row -> row.request().idCell())
        .label(
            "from_state",
            "State it leaves; absent when it enters the queue for the first time.",
            row -> {
              final RequestPhase from = row.from();
              return from == null ? null : from.label();
            })
        .label("to_state", "State it enters.", row -> row.to().label())
        .label(
            "reason",
            "queued, the kind of admission, the cause of preemption, or how it ended.",
            TransitionRow::reason)
        .integer(
            "iteration_id",
            "",
            "Iteration it belongs to; outside iterations the one planned last.",
            TransitionRow::iteration)
        .integer(
            "duration_in_from_state",
            "ns",
            "Time it had spent in the state it leaves.",
            TransitionRow::durationNs)
        .integer("run", "", "Which run of the journal, from 0.", row -> row.run().index())
        .integer(
            "request_number",
            "",
            "Order of arrival in its run, never reused.",
            row -> row.request().number())
        .calendar(row -> IterationRow.calendarBeginNs(row.run()))
        .build();
  }

  private static @Nullable String id(@Nullable RequestIdentity request) {
    return request == null ? null : request.idCell();
  }
}
