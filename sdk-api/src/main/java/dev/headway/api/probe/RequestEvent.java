package dev.headway.api.probe;

import dev.headway.api.request.RequestView;

/** An event of one request. */
public interface RequestEvent extends ProbeEvent {

  /** The request. */
  RequestView request();
}
