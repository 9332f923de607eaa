/**
 * The messages in which engines publish what their KV caches hold: vLLM's and SGLang's, in
 * MessagePack. {@link dev.headway.routing.kvevents.codec.KvEventDecoder} reads every dialect in
 * use, {@link dev.headway.routing.kvevents.codec.KvEventEncoder} writes one of them.
 */
@NullMarked
package dev.headway.routing.kvevents.codec;

import org.jspecify.annotations.NullMarked;
