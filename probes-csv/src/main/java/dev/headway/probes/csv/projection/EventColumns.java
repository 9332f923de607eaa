package dev.headway.probes.csv.projection;

import dev.headway.events.model.Phase;
import dev.headway.events.model.RunTimeline;
import dev.headway.probes.csv.table.ColumnType;
import dev.headway.probes.csv.table.Table;
import org.jspecify.annotations.Nullable;

/** The columns of {@code events.csv} and {@code state_transitions.csv}. */
final class EventColumns {

  private EventColumns() {}

  /**
   * A row of {@code events.csv}.
   *
   * @param idCell the request's id as a cell, or null
   * @param requestNumber {@code ABSENT} if there is no request, or it has no number
   * @param iteration {@code ABSENT} outside iterations
   * @param details one line of JSON, or null
   */
  record EventRow(
      RunTimeline run,
      long timestampNs,
      String type,
      @Nullable String idCell,
      long requestNumber,
      long iteration,
      @Nullable String details) {}

  /** A row of {@code state_transitions.csv}: the latest change of a request's phase. */
  record TransitionRow(
      RunTimeline run, RequestCells request, long timestampNs, String reason, long stepId) {

    /** The state it leaves, null when it enters the run. */
    @Nullable String from() {
      final Phase left = request.timeline().leftPhase();
      return left == null ? null : RequestCells.state(left);
    }

    String to() {
      return request.state();
    }

    /** Time spent in {@link #from}. */
    long durationNs() {
      return request.timeline().leftStateNs();
    }
  }

  static Table<EventRow> events() {
    return Table.<EventRow>named(
            "events.csv",
            "One row per event; those of a scheduling decision stand at the end of scheduling.",
            "By timestamp within a run, equal ones as they were recorded.")
        .instant("timestamp", "Instant at which it took effect.", EventRow::timestampNs)
        .encoded("event_type", ColumnType.LABEL, "What happened.", EventRow::type)
        .encoded("request_id", ColumnType.TEXT, "Request of the event.", EventRow::idCell)
        .json("details", "The event's own figures.", EventRow::details)
        .run(row -> row.run().index())
        .integer(
            "request_number",
            "",
            "Order of arrival in its run, never reused.",
            EventRow::requestNumber)
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
            TransitionRow::from)
        .label("to_state", "State it enters.", TransitionRow::to)
        .label(
            "reason",
            "queued, the kind of admission, the cause of preemption, or how it ended.",
            TransitionRow::reason)
        .integer(
            "iteration_id",
            "",
            "Iteration it belongs to; outside iterations the one planned last.",
            row -> IterationRow.iteration(row.stepId()))
        .integer(
            "duration_in_from_state",
            "ns",
            "Time it had spent in the state it leaves.",
            TransitionRow::durationNs)
        .run(row -> row.run().index())
        .integer(
            "request_number",
            "",
            "Order of arrival in its run, never reused.",
            row -> row.request().number())
        .calendar(row -> IterationRow.calendarBeginNs(row.run()))
        .build();
  }
}
