/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Stands in for NVIDIA's video decoder, libnvcuvid.so.1, which belongs to the driver: GStreamer has
 * its CUDA elements only where this library opens. It decodes nothing: every function refuses.
 */
enum { NOT_SUPPORTED = 801 };

#define REFUSE(name)          \
    int name(void);           \
    int name(void)            \
    {                         \
        return NOT_SUPPORTED; \
    }

REFUSE(cuvidCreateDecoder)
REFUSE(cuvidCreateVideoParser)
REFUSE(cuvidCtxLock)
REFUSE(cuvidCtxLockCreate)
REFUSE(cuvidCtxLockDestroy)
REFUSE(cuvidCtxUnlock)
REFUSE(cuvidDecodePicture)
REFUSE(cuvidDestroyDecoder)
REFUSE(cuvidDestroyVideoParser)
REFUSE(cuvidGetDecoderCaps)
REFUSE(cuvidMapVideoFrame64)
REFUSE(cuvidParseVideoData)
REFUSE(cuvidUnmapVideoFrame64)
