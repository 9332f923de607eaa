/**
 * What engines publish of their KV caches over ZeroMQ, as vLLM and SGLang do: {@link
 * dev.headway.routing.kvevents.KvEventsProbe} publishes for an engine in this process, {@link
 * dev.headway.routing.kvevents.KvEventSubscriber} follows one elsewhere, and {@link
 * dev.headway.routing.kvevents.KvEventIndex} knows which worker has which prefix.
 *
 * <p>A message has three frames: topic, sequence number (8 bytes, big-endian, from 0), batch. A
 * publisher drops what a slow subscriber cannot take, so that a subscriber looks for gaps and asks
 * for what it missed at a second socket; see {@link dev.headway.routing.kvevents.KvEventStream}.
 */
@NullMarked
package dev.headway.routing.kvevents;

import org.jspecify.annotations.NullMarked;
