/** ZeroMQ: addresses, numbers of messages, and the thread that sends what another one offers. */
@NullMarked
package dev.headway.routing.zmq;

import org.jspecify.annotations.NullMarked;
