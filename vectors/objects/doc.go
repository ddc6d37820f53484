// Package objects reads and writes the objects of a store such as S3 through a gateway on
// this machine.
//
// The gateway is an HTTP server whose address stands in the environment variable
// KNNG_OBJECTS; "python -m knng.cluster" runs one, which reaches all stores of fsspec:
// S3, Google Cloud Storage, Azure and more, with the credentials of that library. The
// protocol has five requests. URL is the escaped address of an object, such as
// s3://bucket/rows.npy:
//
//	GET    /TOKEN/size?at=URL              its size, as digits
//	GET    /TOKEN/object?at=URL            some bytes of it, given as Range
//	POST   /TOKEN/object?at=URL&from=PATH  stores the local file PATH as the object, whole or not at all
//	GET    /TOKEN/list?at=URL              the names of the objects directly below, a line each
//	DELETE /TOKEN/object?at=URL            removes all objects below
//
// An answer is 200 or 206; 404 where there is no such object; else its text says why. The
// gateway tries again where a store fails for a moment; this package does not.
package objects
