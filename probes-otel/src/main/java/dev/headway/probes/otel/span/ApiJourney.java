package dev.headway.probes.otel.span;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A request as the server around the engine saw it. */
final class ApiJourney {

  /** A server has seven stages to report; a faulty one may repeat some. */
  static final int MAX_STAGES = 64;

  static final String ARRIVED = "arrived";
  static final String DEPARTED = "departed";
  static final String ABORTED = "aborted";

  /** What the server said. */
  record Stage(String label, long atNs, @Nullable String reason, @Nullable String error) {}

  private final String requestId;
  private final TraceIds ids;
  private final boolean chosen;
  private final List<Stage> stages = new ArrayList<>(8);
  private @Nullable RequestTrace core;
  private @Nullable Stage end;

  ApiJourney(String requestId, TraceIds ids, boolean chosen, long arrivedNs) {
    this.requestId = requestId;
    this.ids = ids;
    this.chosen = chosen;
    stages.add(new Stage(ARRIVED, arrivedNs, null, null));
  }

  static boolean isTerminal(String label) {
    return label.equals(DEPARTED) || label.equals(ABORTED);
  }

  /** Returns whether there was room. */
  boolean add(Stage stage) {
    if (stages.size() >= MAX_STAGES) {
      return false;
    }
    stages.add(stage);
    return true;
  }

  void end(Stage stage) {
    end = stage;
  }

  /** It is closed without word from the server. */
  void endUnfinished(String reason, long nowNs) {
    end = new Stage("unfinished", nowNs, reason, null);
  }

  void attach(RequestTrace request) {
    core = request;
  }

  String requestId() {
    return requestId;
  }

  TraceIds ids() {
    return ids;
  }

  boolean isChosen() {
    return chosen;
  }

  @Nullable RequestTrace core() {
    return core;
  }

  @Nullable Stage end() {
    return end;
  }

  boolean isEnded() {
    return end != null;
  }

  boolean isAborted() {
    return end != null && end.label().equals(ABORTED);
  }

  long arrivedNs() {
    return stages.get(0).atNs();
  }

  /** Stages but the last, in the order in which they happened: they may be reported late. */
  List<Stage> stages() {
    final List<Stage> ordered = new ArrayList<>(stages);
    ordered.sort(Comparator.comparingLong(Stage::atNs));
    return ordered;
  }
}
