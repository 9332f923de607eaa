package dev.headway.simulation.step;

/** Step times that know what a server does with a request before its queue. */
public interface ArrivalDelay {

  /**
   * From a request's arrival until it is in the queue, in ns, >= 0: what tokenizing and the way
   * from the client take. No part of a step.
   */
  long arrivalToQueueNs();
}
