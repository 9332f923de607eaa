package dev.headway.report.explain;

/**
 * The step that the engine was in when a request arrived: requests are taken over between steps.
 *
 * @param stepId number of the step
 * @param beginNs when deciding began
 * @param decidedNs when deciding ended
 * @param endNs when the step was done
 */
record StepUnderWay(long stepId, long beginNs, long decidedNs, long endNs) {

  long schedulingNs() {
    return decidedNs - beginNs;
  }

  long totalNs() {
    return endNs - beginNs;
  }

  boolean covers(long instantNs) {
    return beginNs <= instantNs && instantNs < endNs;
  }
}
