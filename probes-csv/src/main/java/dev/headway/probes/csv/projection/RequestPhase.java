package dev.headway.probes.csv.projection;

/** Phase of a request, as files name it. */
enum RequestPhase {
  WAITING("waiting"),
  RUNNING("running"),
  PREEMPTED("preempted"),
  COMPLETED("completed");

  private final String label;

  RequestPhase(String label) {
    this.label = label;
  }

  String label() {
    return label;
  }
}
