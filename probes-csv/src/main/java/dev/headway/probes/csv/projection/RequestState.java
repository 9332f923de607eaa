package dev.headway.probes.csv.projection;

/** Where a request stands, as files name it. */
enum RequestState {
  WAITING("waiting"),
  RUNNING("running"),
  PREEMPTED("preempted"),
  COMPLETED("completed");

  private final String label;

  RequestState(String label) {
    this.label = label;
  }

  String label() {
    return label;
  }
}
