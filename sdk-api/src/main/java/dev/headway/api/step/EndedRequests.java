package dev.headway.api.step;

/** Requests that left the running ones since the plan before. Reading allocates nothing. */
public interface EndedRequests {

  /** Number of requests. */
  int size();

  /** Number of a request, in the order of arrival; {@code index} in [0, size). */
  long number(int index);

  /** Id of a request; {@code index} in [0, size). */
  String id(int index);
}
